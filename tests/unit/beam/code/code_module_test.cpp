#include "beam/code/code_module.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class CodeModuleTest : public tests::EachRelease {
 protected:
  std::optional<CodeModule> read() { return read_code_module(vm.layout, vm.memory, demo); }
  os::Address start(std::size_t function) { return vm.function_start(demo, function); }
  void set_start(std::size_t function, os::Address to) {
    vm.memory.put(vm.layout.code_header.functions.at(demo.begin) + function * 8, to);
  }

  const os::AddressRange demo = vm.load({"demo", {{"a", 0}, {"b", 1}, {"b", 255}, {"c", 3}}});
};
INSTANTIATE_TEST_SUITE_P(Releases, CodeModuleTest, tests::each_release, tests::release_name);

TEST_P(CodeModuleTest, reads_every_function) {
  const auto module = read();
  ASSERT_TRUE(module);
  EXPECT_EQ(module->range, demo);
  const Eterm name = vm.atom("demo"), b = vm.atom("b");
  EXPECT_EQ(module->functions,
            (std::vector<Mfa>{
                {name, vm.atom("a"), 0}, {name, b, 1}, {name, b, 255}, {name, vm.atom("c"), 3}}));
  EXPECT_EQ(module->starts[2], start(2));
  EXPECT_EQ(module->code_end, start(4));
}

TEST_P(CodeModuleTest, a_function_reaches_up_to_the_next_and_the_last_to_the_end_of_code) {
  const auto module = read();
  ASSERT_TRUE(module);
  EXPECT_EQ(module->function_at(start(1)), &module->functions[1]);
  EXPECT_EQ(module->function_at(start(2) - 1), &module->functions[1]);
  EXPECT_EQ(module->function_at(start(4) - 1), &module->functions[3]);
  EXPECT_EQ(module->function_at(start(4)), nullptr);
  EXPECT_EQ(module->function_at(start(0) - 1), nullptr);
  EXPECT_EQ(module->function_at(demo.begin), nullptr);
}

TEST_P(CodeModuleTest, impossible_counts_are_refused) {
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{5}, demo.size(), std::uint64_t{1} << 40, ~std::uint64_t{0},
        std::uint64_t{1} << 61}) {
    vm.memory.put(demo.begin, vm.layout.code_header.num_functions, count);
    EXPECT_FALSE(read()) << count;
  }
}

TEST_P(CodeModuleTest, functions_out_of_order_or_place_are_refused) {
  const os::Address second = start(1), last_end = start(4);
  set_start(1, start(2));
  EXPECT_FALSE(read()) << "two of the same start";
  set_start(1, start(3));
  EXPECT_FALSE(read()) << "descending";
  set_start(1, second);
  ASSERT_TRUE(read());
  set_start(0, demo.begin - 4096);
  EXPECT_FALSE(read()) << "before the range";
  set_start(0, second - 8);
  set_start(4, demo.end + 8);
  EXPECT_FALSE(read()) << "code ends behind the range";
  set_start(4, last_end);
  set_start(3, demo.end - 8);
  EXPECT_FALSE(read()) << "no room for the last function's info";
}

TEST_P(CodeModuleTest, names_that_cannot_be_are_refused) {
  const auto& info = vm.layout.code_info;
  vm.memory.put(start(2), info.arity, 256);
  EXPECT_FALSE(read());
  vm.memory.put(start(2), info.arity, 255);
  ASSERT_TRUE(read());
  vm.memory.put(start(2), info.module, vm.atom("other"));
  EXPECT_FALSE(read()) << "functions of two modules";
  vm.memory.put(start(2), info.module, vm.atom("demo"));
  vm.memory.put(start(2), info.function, 0x1234567890);
  EXPECT_FALSE(read()) << "a function name that is no atom";
}

TEST_P(CodeModuleTest, what_cannot_be_read_whole_is_refused) {
  vm.memory.forget(start(3), 1);
  EXPECT_FALSE(read());
  EXPECT_FALSE(read_code_module(vm.layout, vm.memory, {demo.begin, demo.begin + 8}));
  EXPECT_FALSE(read_code_module(vm.layout, vm.memory, {0x1000, 0x3000}));
  EXPECT_FALSE(read_code_module(vm.layout, vm.memory, {0x3000, 0x1000}));
}

}  // namespace
}  // namespace beam_exporter::beam
