#include "beam/layout/layout_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "beam/layout/embedded_layouts.h"
#include "fakes/fake_vm.h"

namespace beam_exporter::beam {
namespace {

std::string shipped() {
  const auto layouts = embedded_layouts();
  const auto found = std::ranges::find(layouts, "otp-25-jit.yaml", &text::EmbeddedFile::name);
  return found == layouts.end() ? "" : std::string(found->text);
}

// The shipped file with its first `from` replaced; the result must be refused with `complaint`.
void expect_refused(const std::string& from, const std::string& to, const std::string& complaint) {
  std::string text = shipped();
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto layout = read_layout(text, "layout.yaml");
  ASSERT_FALSE(layout) << to;
  EXPECT_EQ(layout.error().kind, os::ErrorKind::malformed);
  EXPECT_THAT(layout.error().text, ::testing::HasSubstr(complaint));
  EXPECT_THAT(layout.error().text, ::testing::StartsWith("layout.yaml"));
}

TEST(LayoutFile, reading_and_writing_gives_the_shipped_text_again) {
  for (const auto& each : embedded_layouts()) {
    const auto layout = read_layout(std::string(each.text), std::string(each.name));
    ASSERT_TRUE(layout) << layout.error().text;
    EXPECT_EQ(write_layout(*layout), each.text);
    EXPECT_EQ(layout->origin, each.name);
  }
}

TEST(LayoutFile, reads_places) {
  const auto layout = read_layout(shipped(), "otp-25-jit");
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->otp_release, "25");
  EXPECT_EQ(layout->process.size, 776U);
  EXPECT_EQ(layout->process.state, (Field<std::uint32_t>{640, 4}));
  EXPECT_EQ(layout->scheduler_data.no, (Field<std::uint64_t>{184, 8}))
      << "a key YAML 1.1 takes for a boolean";
  EXPECT_EQ(layout->aligned_scheduler_data.size, 41728U);
}

TEST(LayoutFile, an_optional_member_may_be_absent) {
  std::string text = shipped();
  const std::string line = "    frame_pointer: [96, 8]\n";
  text.erase(text.find(line), line.size());
  const auto layout = read_layout(text, "layout.yaml");
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_FALSE(layout->process.frame_pointer.present());
  EXPECT_EQ(write_layout(*layout), text);
}

TEST(LayoutFile, a_struct_of_optional_members_may_be_absent) {
  std::string text = shipped();
  const auto begin = text.find("  ErtsSchedulerRegisters:");
  text.erase(begin, text.find("  ErtsSchedulerSleepInfo:") - begin);
  const auto layout = read_layout(text, "layout.yaml");
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->scheduler_registers.size, 0U);
  EXPECT_EQ(write_layout(*layout), text);
}

// They tell source lines, which nothing else is made of.
TEST(LayoutFile, line_tables_may_be_absent) {
  std::string text = shipped();
  const auto begin = text.find("  BeamCodeLineTab_:");
  text.erase(begin, text.find("  ranges:") - begin);
  const auto member = text.find("    line_table:");
  text.erase(member, text.find('\n', member) + 1 - member);
  const auto layout = read_layout(text, "layout.yaml");
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->line_table.size, 0U);
  EXPECT_FALSE(layout->code_header.line_table.present());
  EXPECT_EQ(write_layout(*layout), text);
}

TEST(LayoutFile, may_be_of_a_build_that_counts_locks) {
  auto layout = tests::shipped_layout("25");
  EXPECT_EQ(write_layout(layout).find("build:"), std::string::npos);
  layout.build = "lcnt";
  const auto read = read_layout(write_layout(layout), "test");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->build, "lcnt");
  expect_refused("arch:", "build: fast\narch:", "neither opt nor lcnt nor debug");
}

TEST(LayoutFile, refuses_what_is_missing) {
  expect_refused("    htop: [80, 8]\n", "", "htop");
  expect_refused("    size: 776\n", "", "size");
  expect_refused("flavor: jit\n", "", "flavor");
  expect_refused("  RegProc:\n    size: 40\n    name: [32, 8]\n", "", "RegProc");
  expect_refused("  ErtsAlignedSchedulerData:\n    size: 41728\n", "", "ErtsAlignedSchedulerData");
}

TEST(LayoutFile, refuses_what_is_unknown_or_twice) {
  expect_refused("    htop:", "    h_top: [8, 8]\n    htop:", "h_top");
  expect_refused("  RegProc:", "  Port:\n    size: 8\n  RegProc:", "Port");
  expect_refused("arch:", "os: linux\narch:", "os");
  expect_refused("    htop:", "    htop: [80, 8]\n    htop:", "htop");
}

TEST(LayoutFile, refuses_places_that_cannot_be) {
  expect_refused("htop: [80, 8]", "htop: [769, 8]", "outside its struct");
  expect_refused("htop: [80, 8]", "htop: [-8, 8]", "htop");
  expect_refused("htop: [80, 8]", "htop: [80]", "htop");
  expect_refused("htop: [80, 8]", "htop: [80, 16]", "16 bytes wide");
  expect_refused("htop: [80, 8]", "htop: [80, 0]", "0 bytes wide");
  expect_refused("htop: [80, 8]", "htop: [80, 4294967304]", "htop");
  expect_refused("htop: [80, 8]", "htop: [4294967288, 8]", "htop");
  expect_refused("state.counter: [640, 4]", "state.counter: [640, 8]", "at most 4");
  expect_refused("size: 776", "size: 99999999", "size");
  expect_refused("size: 776", "size: 0", "size");
  expect_refused("flavor: jit", "flavor: hybrid", "neither jit nor emu");
}

}  // namespace
}  // namespace beam_exporter::beam
