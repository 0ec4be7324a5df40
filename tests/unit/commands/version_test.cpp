#include "commands/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace beam_exporter::commands {
namespace {

TEST(Version, ReadsLikeOtherExporters) {
  EXPECT_THAT(version_text(),
              testing::MatchesRegex("beam_exporter, version [0-9]+\\.[0-9]+\\.[0-9]+ "
                                    "\\(revision: ([0-9a-f]{7,}|unknown)\\)\n"
                                    "  compiler:    gcc [0-9.]+\n"
                                    "  build type:  [A-Za-z]+\n"
                                    "  platform:    linux/[a-z0-9_]+\n"));
}

TEST(Version, BuildInfoIsWhatIsPrinted) {
  EXPECT_THAT(version_text(), testing::HasSubstr(std::string(build_info().version)));
  EXPECT_FALSE(build_info().revision.empty());
}

}  // namespace
}  // namespace beam_exporter::commands
