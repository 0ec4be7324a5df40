#include "commands/commands.h"

#include <gtest/gtest.h>

namespace beam_exporter::commands {
namespace {

TEST(ExitCode, is_2_for_what_the_user_wrote_and_1_for_what_happened) {
  using os::ErrorKind;
  EXPECT_EQ(exit_code({ErrorKind::invalid_argument, ""}), 2);
  for (const ErrorKind kind :
       {ErrorKind::not_permitted, ErrorKind::not_found, ErrorKind::unreadable, ErrorKind::malformed,
        ErrorKind::unsupported, ErrorKind::ambiguous, ErrorKind::gone, ErrorKind::system})
    EXPECT_EQ(exit_code({kind, ""}), 1);
}

TEST(Complain, is_one_line_on_stderr) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  complain({os::ErrorKind::not_found, "no such thing"});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "beam_exporter: no such thing\n");
}

TEST(RunLayout, names_the_file_it_cannot_read) {
  CommandLine command_line;
  command_line.layout_binary = "/nowhere/beam.smp";
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_layout(command_line), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("/nowhere/beam.smp"), std::string::npos);
}

}  // namespace
}  // namespace beam_exporter::commands
