#include "beam/code/line_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using testing::ElementsAre;
using tests::FakeModule;

// Hostile and missing tables: source_line_test.
class LineTableTest : public tests::EachRelease {
 protected:
  std::vector<std::string> lines(const FakeModule& demo, std::size_t function) {
    const auto module = read_code_module(vm.layout, vm.memory, vm.load(demo));
    Atoms atoms(vm.layout, vm.memory, tests::FakeVm::atom_table);
    auto table = module ? LineTable::open(vm.layout, vm.memory, atoms, *module) : std::nullopt;
    const auto found = table ? table->lines_of(function) : std::nullopt;
    if (!found) return {"none"};
    std::vector<std::string> texts;
    for (const auto& source : table->sources(found->first, found->count()))
      texts.push_back(source ? source->file + ":" + std::to_string(source->line) : "nowhere");
    return texts;
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, LineTableTest, tests::each_release, tests::release_name);

TEST_P(LineTableTest, tells_all_lines_of_a_function_in_both_widths) {
  for (const std::uint32_t width : {2U, 4U}) {
    const FakeModule demo{.name = "demo",
                          .functions = {{"f", 0, {{44, 0, 10}, {60, 0, 12}, {80, 0, 11}}},
                                        {"g", 0, {}},
                                        {"h", 0, {{40, 0, 30}, {72, 0, 0}}}},
                          .location_bytes = width,
                          .with_lines = true};
    EXPECT_THAT(lines(demo, 0), ElementsAre("demo.erl:10", "demo.erl:12", "demo.erl:11"));
    EXPECT_THAT(lines(demo, 1), ElementsAre());
    EXPECT_THAT(lines(demo, 2), ElementsAre("demo.erl:30", "nowhere"));
  }
}

TEST_P(LineTableTest, each_line_has_its_own_file) {
  const FakeModule demo{.name = "demo",
                        .functions = {{"f", 0, {{44, 0, 10}, {60, 1, 7}, {80, 2, 8}}}},
                        .files = {U"src/demo.yrl", U"include/größe.hrl"},
                        .location_bytes = 4,
                        .with_lines = true};
  EXPECT_THAT(lines(demo, 0), ElementsAre("demo.erl:10", "src/demo.yrl:7", "include/größe.hrl:8"));
}

}  // namespace
}  // namespace beam_exporter::beam
