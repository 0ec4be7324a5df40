#include "commands/layout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "beam/layout/layout_file.h"
#include "unit/beam/erts_like_types.h"

namespace beam_exporter::commands {
namespace {

namespace fs = std::filesystem;

void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

// Our own binary is the VM of a release that does not exist.
class LayoutCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("layout-command-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    beam_smp_ = fs::canonical(folder_) / "beam.smp";
    fs::copy_file("/proc/self/exe", beam_smp_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  fs::path beam_smp_;
};

void expect_our_types(const os::Result<std::string>& yaml) {
  ASSERT_TRUE(yaml) << yaml.error().text;
  const auto layout = beam::read_layout(*yaml, "written");
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->otp_release, "99");
  EXPECT_EQ(layout->erts_version, "99.1.2");
  EXPECT_EQ(layout->process.size, sizeof(Process));
  EXPECT_EQ(layout->process.current.offset, offsetof(Process, current));
}

TEST_F(LayoutCommand, writes_a_file_that_its_reader_takes) {
  expect_our_types(layout_yaml(beam_smp_));
}

TEST_F(LayoutCommand, finds_a_separate_debug_file) {
  run("cd " + folder_.string() + " && objcopy --only-keep-debug beam.smp beam.smp.debug");
  run("cd " + folder_.string() +
      " && objcopy --strip-debug --add-gnu-debuglink=beam.smp.debug beam.smp");
  expect_our_types(layout_yaml(beam_smp_));
}

TEST_F(LayoutCommand, without_dwarf_says_where_it_looked_and_what_to_do) {
  run("strip --strip-debug " + beam_smp_.string());
  const auto yaml = layout_yaml(beam_smp_);
  ASSERT_FALSE(yaml);
  EXPECT_THAT(
      yaml.error().text,
      ::testing::AllOf(::testing::StartsWith(beam_smp_.string() + ": no debug file, looked for "),
                       ::testing::HasSubstr("/usr/lib/debug/.build-id/"),
                       ::testing::HasSubstr("debug symbol package"), ::testing::HasSubstr("-g -O2"),
                       ::testing::Not(::testing::HasSubstr("\n"))));
}

TEST_F(LayoutCommand, refuses_what_is_no_vm) {
  EXPECT_EQ(layout_yaml("/no/such/beam.smp").error().text,
            "/no/such/beam.smp: No such file or directory");
  EXPECT_THAT(layout_yaml("/bin/true").error().text, ::testing::HasSubstr("not an Erlang VM"));
  EXPECT_THAT(layout_yaml("/etc/passwd").error().text, ::testing::HasSubstr("not an ELF file"));
  EXPECT_THAT(layout_yaml(folder_).error().text, ::testing::HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace beam_exporter::commands
