#include "elf/native_symbols.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdlib>

#include "elf/direct_calls.h"
#include "elf/function_bounds.h"
#include "unit/elf/native_sample.h"

namespace beam_exporter::elf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Image opened(const std::string& path) {
  auto image = Image::open(path);
  if (!image) {
    ADD_FAILURE() << image.error().text;
    std::abort();
  }
  return std::move(*image);
}

// The stripped library, as loaded into this test.
class NativeSampleTest : public testing::Test {
 protected:
  void SetUp() override {
    Dl_info info{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&native_sample_leaf), &info), 0);
    bias_ = reinterpret_cast<std::uint64_t>(info.dli_fbase);
  }
  template <class F>
  std::uint64_t in_file(F* address) const {
    return reinterpret_cast<std::uint64_t>(address) - bias_;
  }

  std::uint64_t bias_ = 0;
  Image image_ = opened(NATIVE_SAMPLE);
  NativeSymbols symbols_ = NativeSymbols::read(image_);
};

TEST_F(NativeSampleTest, the_library_is_stripped) {
  EXPECT_FALSE(image_.symbol("first_static"));
  EXPECT_FALSE(image_.section(".symtab"));
  EXPECT_TRUE(image_.symbol("native_sample_leaf"));
}

TEST_F(NativeSampleTest, an_exported_function_has_its_name_from_its_first_to_its_last_byte) {
  const std::uint64_t begin = in_file(&native_sample_leaf);
  const auto* function = symbols_.at(begin);
  ASSERT_NE(function, nullptr);
  EXPECT_THAT(function->names, ElementsAre("native_sample_leaf"));
  EXPECT_TRUE(function->exported);
  EXPECT_EQ(function->range.begin, begin);
  EXPECT_EQ(function->range.size(), image_.symbol("native_sample_leaf")->size);
  EXPECT_EQ(symbols_.at(function->range.end - 1), function);
  EXPECT_NE(symbols_.at(function->range.end), function);
  EXPECT_EQ(symbols_.beginning_at(begin), function);
  EXPECT_EQ(symbols_.beginning_at(begin + 1), nullptr);
  EXPECT_EQ(symbols_.named("native_sample_leaf"), function);
  EXPECT_EQ(symbols_.named("native_sample_hidden"), nullptr);
}

TEST_F(NativeSampleTest, a_function_without_a_symbol_is_not_taken_for_its_neighbour) {
  for (const void* place : {native_sample()->first_static, native_sample()->second_static}) {
    const auto* function = symbols_.at(in_file(place) + 4);
    ASSERT_NE(function, nullptr);
    EXPECT_EQ(function->range.begin, in_file(place));
    EXPECT_THAT(function->names, IsEmpty());
    EXPECT_FALSE(function->exported);
  }
}

TEST_F(NativeSampleTest, addresses_that_are_no_code_belong_to_nobody) {
  EXPECT_EQ(symbols_.at(0), nullptr);
  EXPECT_EQ(symbols_.at(~std::uint64_t{0}), nullptr);
  EXPECT_EQ(symbols_.at(in_file(native_sample())), nullptr);
}

TEST_F(NativeSampleTest, direct_calls_tell_static_functions_apart) {
  const auto calls = DirectCalls::read(image_, symbols_);
  const std::uint64_t first = in_file(native_sample()->first_static),
                      second = in_file(native_sample()->second_static);
  EXPECT_TRUE(calls.calls(second, first));
  EXPECT_FALSE(calls.calls(first, second));
  EXPECT_TRUE(calls.calls(in_file(&native_sample_entry), second));
  EXPECT_FALSE(calls.calls(in_file(&native_sample_entry), first));
  EXPECT_FALSE(calls.calls(in_file(&native_sample_leaf), first));
}

// The unstripped binary of this very test: two independent tellings of the same bounds.
TEST(FunctionBounds, agree_with_the_sizes_of_symbols) {
  const Image image = opened("/proc/self/exe");
  const auto symbols = NativeSymbols::read(image);
  std::size_t compared = 0, same = 0;
  for (const auto& [name, local, symbol] : image.functions()) {
    const auto* function = symbols.beginning_at(symbol.value);
    if (function == nullptr || symbol.size == 0) continue;
    ++compared;
    same += function->range.size() == symbol.size;
  }
  EXPECT_GT(compared, 500u);
  EXPECT_EQ(same, compared);
  std::uint64_t reached = 0;
  for (const auto& range : function_bounds(image)) {
    EXPECT_GE(range.begin, reached);
    reached = range.end;
  }
}

[[gnu::noinline]] long local_function(long x) { return x * 31 + std::rand(); }

TEST(FunctionBounds, a_local_symbol_names_a_function_that_is_not_exported) {
  EXPECT_NE(local_function(1), 0);
  const auto symbols = NativeSymbols::read(opened("/proc/self/exe"));
  const auto local = std::ranges::find_if(symbols.functions(), [](const NativeFunction& each) {
    return !each.names.empty() && each.names.front().find("local_function") != std::string::npos;
  });
  ASSERT_NE(local, symbols.functions().end());
  EXPECT_FALSE(local->exported);
  ASSERT_NE(symbols.named("main"), nullptr);
  EXPECT_TRUE(symbols.named("main")->exported);
}

TEST(FunctionBounds, clones_and_moved_parts_carry_the_functions_name) {
  const auto symbols = NativeSymbols::read(opened("/proc/self/exe"));
  for (const auto& function : symbols.functions())
    for (const auto& name : function.names) EXPECT_EQ(name.find('.'), std::string::npos) << name;
}

}  // namespace
}  // namespace beam_exporter::elf
