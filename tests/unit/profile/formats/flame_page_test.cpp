#include "profile/formats/flame_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace beam_exporter::profile {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(FlamePage, has_the_picture_and_an_escaped_title) {
  const auto page = flame_page("</title><b>&", "<svg data-x=\"1\"/>\n");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_THAT(page, HasSubstr("<meta name=\"viewport\""));
  EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;b&gt;&amp;</title>"));
  EXPECT_THAT(page, HasSubstr("</h1>\n<svg data-x=\"1\"/>\n</main>"));
  EXPECT_THAT(page, EndsWith("</html>\n"));
}

}  // namespace
}  // namespace beam_exporter::profile
