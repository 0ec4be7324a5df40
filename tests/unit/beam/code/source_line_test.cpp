#include "beam/code/source_line.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::FakeModule;

class SourceLineTest : public tests::EachRelease {
 protected:
  std::string line(os::AddressRange range, std::size_t function, std::uint64_t offset) {
    return line_by(vm.layout, range, function, offset);
  }
  std::string line_by(const Layout& layout, os::AddressRange range, std::size_t function,
                      std::uint64_t offset) {
    const auto module = read_code_module(vm.layout, vm.memory, range);
    if (!module) return "no module";
    Atoms atoms(vm.layout, vm.memory, tests::FakeVm::atom_table);
    const auto found =
        source_line(layout, vm.memory, atoms, *module, vm.function_start(range, function) + offset);
    return found ? found->file + ":" + std::to_string(found->line) : "none";
  }
  os::Address table_of(os::AddressRange range) {
    return *vm.memory.value<os::Address>(vm.layout.code_header.line_table.at(range.begin));
  }
  // functions f, g, h with lines at known places; g has none.
  FakeModule demo(std::uint32_t location_bytes) {
    return {.name = "demo",
            .functions = {{"f", 0, {{44, 0, 10}, {60, 0, 11}, {80, 0, 12}}},
                          {"g", 0, {}},
                          {"h", 0, {{40, 0, 30}, {72, 0, 31}}}},
            .files = {U"src/demo.yrl", U"include/größe_日本_😀.hrl"},
            .location_bytes = location_bytes,
            .with_lines = true};
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, SourceLineTest, tests::each_release, tests::release_name);

TEST_P(SourceLineTest, a_line_holds_up_to_the_next_one_in_both_widths) {
  for (const std::uint32_t width : {2U, 4U}) {
    const auto range = vm.load(demo(width));
    EXPECT_EQ(line(range, 0, 44), "demo.erl:10");
    EXPECT_EQ(line(range, 0, 59), "demo.erl:10");
    EXPECT_EQ(line(range, 0, 60), "demo.erl:11");
    EXPECT_EQ(line(range, 0, 80), "demo.erl:12");
    EXPECT_EQ(line(range, 2, 71), "demo.erl:30");
    EXPECT_EQ(line(range, 2, 103), "demo.erl:31");
  }
}

TEST_P(SourceLineTest, there_is_none_before_the_first_line_or_without_any) {
  const auto range = vm.load(demo(4));
  EXPECT_EQ(line(range, 0, 43), "none");
  EXPECT_EQ(line(range, 2, 0), "none");
  EXPECT_EQ(line(range, 1, 50), "none");
  EXPECT_EQ(line(range, 3, 0), "none") << "behind the code";
}

TEST_P(SourceLineTest, other_files_are_named_as_the_module_names_them) {
  for (const bool by_atoms : {false, true}) {
    auto module = demo(4);
    module.files_are_atoms = by_atoms;
    module.functions[0].lines = {{44, 1, 7}, {60, 2, 8}, {80, 0, 9}, {90, 0, 0}, {94, 3, 9}};
    const auto range = vm.load(module);
    EXPECT_EQ(line(range, 0, 44), "src/demo.yrl:7");
    EXPECT_EQ(line(range, 0, 60), "include/größe_日本_😀.hrl:8");
    EXPECT_EQ(line(range, 0, 80), "demo.erl:9");
    EXPECT_EQ(line(range, 0, 90), "none") << "0 is the invalid location";
    EXPECT_EQ(line(range, 0, 94), "none") << "there are two";
  }
}

TEST_P(SourceLineTest, a_module_without_a_line_table_has_no_lines) {
  auto module = demo(4);
  module.with_lines = false;
  EXPECT_EQ(line(vm.load(module), 0, 60), "none");
}

TEST_P(SourceLineTest, a_layout_without_line_tables_tells_no_lines) {
  const auto range = vm.load(demo(4));
  Layout without = vm.layout;
  ASSERT_NE(line_by(without, range, 0, 60), "none");
  without.line_table = {};
  EXPECT_EQ(line_by(without, range, 0, 60), "none");
  without.code_header.line_table.offset = Row::absent;
  EXPECT_EQ(line_by(without, range, 0, 60), "none");
}

TEST_P(SourceLineTest, a_file_out_of_the_list_is_no_line) {
  auto module = demo(4);
  module.functions[0].lines = {{44, 200, 7}};
  EXPECT_EQ(line(vm.load(module), 0, 50), "none");
}

TEST_P(SourceLineTest, a_file_name_that_is_no_string_is_no_line) {
  auto module = demo(4);
  module.functions[0].lines = {{44, 1, 7}};
  const auto range = vm.load(module);
  ASSERT_EQ(line(range, 0, 50), "src/demo.yrl:7");
  const os::Address files =
      *vm.memory.value<os::Address>(vm.layout.line_table.file_names.at(table_of(range)));
  const os::Address first = *vm.memory.value<Eterm>(files + 8) - 1;
  const Eterm tail = *vm.memory.value<Eterm>(first + 8);
  vm.memory.put(first + 8, first | 1);
  EXPECT_EQ(line(range, 0, 50), "none") << "a circle";
  vm.memory.put(first + 8, vm.atom("tail"));
  EXPECT_EQ(line(range, 0, 50), "none") << "an improper list";
  vm.memory.put(first + 8, tail);
  for (const Eterm head : {vm.atom("s"), Eterm{0x110000} << 4 | 0xf, ~Eterm{0}}) {
    vm.memory.put(first, head);
    EXPECT_EQ(line(range, 0, 50), "none");
  }
  for (const Eterm list : {Eterm{0x3b}, vm.atom("name"), Eterm{0xdead0001}}) {
    vm.memory.put(files + 8, list);
    EXPECT_EQ(line(range, 0, 50), "none");
  }
}

TEST_P(SourceLineTest, hostile_tables_give_no_line) {
  const auto range = vm.load(demo(4));
  const os::Address table = table_of(range);
  const os::Address functions = vm.layout.line_table.functions.at(table);
  const auto first = *vm.memory.value<os::Address>(functions);
  const auto with = [&](os::Address at, std::uint64_t value) {
    const auto good = *vm.memory.value<std::uint64_t>(at);
    vm.memory.put(at, value);
    const std::string answer = line(range, 0, 60);
    vm.memory.put(at, good);
    return answer;
  };
  ASSERT_EQ(line(range, 0, 60), "demo.erl:11");
  EXPECT_EQ(with(functions + 8, first + (std::uint64_t{1} << 40)), "none") << "endless";
  EXPECT_EQ(with(functions + 8, first - 8), "none") << "backwards";
  EXPECT_EQ(with(functions + 8, ~std::uint64_t{0}), "none");
  EXPECT_EQ(with(functions, 0xdead0000), "none") << "unmapped";
  EXPECT_EQ(with(vm.layout.line_table.locations.at(table), 0xdead0000), "none");
  EXPECT_EQ(with(vm.layout.line_table.location_size.at(table), 3), "none");
  EXPECT_EQ(with(vm.layout.code_header.line_table.at(range.begin), 0xdead0000), "none");
}

}  // namespace
}  // namespace beam_exporter::beam
