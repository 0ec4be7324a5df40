#include "app/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sampling/log.h"

namespace beam_exporter::app {
namespace {

using sampling::LogFormat;
using sampling::LogLevel;

std::string line_of(LogLevel level) {
  testing::internal::CaptureStderr();
  sampling::log(level, "event", {{"key", "a b"}});
  return testing::internal::GetCapturedStderr();
}

TEST(Logging, FollowsTheSettingsAlsoWhenTheyChange) {
  set_up_logging({LogLevel::warn, LogFormat::logfmt});
  EXPECT_EQ(line_of(LogLevel::info), "");
  EXPECT_THAT(line_of(LogLevel::warn),
              testing::EndsWith(" level=warn msg=\"event\" key=\"a b\"\n"));
  set_up_logging({LogLevel::debug, LogFormat::json});
  EXPECT_THAT(line_of(LogLevel::debug),
              testing::EndsWith(R"("level":"debug","msg":"event","key":"a b"})"
                                "\n"));
  set_up_logging({});
  EXPECT_EQ(line_of(LogLevel::debug), "");
}

}  // namespace
}  // namespace beam_exporter::app
