#include "commands/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "log/log.h"

namespace beam_exporter::commands {
namespace {

using log::Format;

std::string line_of(log::Level level) {
  testing::internal::CaptureStderr();
  log::write(level, "event", {{"key", "a b"}});
  return testing::internal::GetCapturedStderr();
}

TEST(Logging, FollowsTheSettingsAlsoWhenTheyChange) {
  set_up_logging({log::Level::warn, Format::logfmt});
  EXPECT_EQ(line_of(log::Level::info), "");
  EXPECT_THAT(line_of(log::Level::warn),
              testing::EndsWith(" level=warn msg=\"event\" key=\"a b\"\n"));
  set_up_logging({log::Level::debug, Format::json});
  EXPECT_THAT(line_of(log::Level::debug),
              testing::EndsWith(R"("level":"debug","msg":"event","key":"a b"})"
                                "\n"));
  set_up_logging({});
  EXPECT_EQ(line_of(log::Level::debug), "");
}

}  // namespace
}  // namespace beam_exporter::commands
