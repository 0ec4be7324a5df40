#include "web/pages/landing_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(LandingPage, names_itself_its_target_and_the_way_on) {
  const auto html = landing_page_html(
      {"beam_exporter", "Watches.", "1.2.3", "OTP 25, pid 7", {{"/metrics", "Metrics"}}});
  EXPECT_THAT(html, HasSubstr("<title>beam_exporter</title>"));
  EXPECT_THAT(html, HasSubstr("Version: 1.2.3"));
  EXPECT_THAT(html, HasSubstr("Target: OTP 25, pid 7"));
  EXPECT_THAT(html, HasSubstr("<a href=\"/metrics\">Metrics</a>"));
}

TEST(LandingPage, nothing_from_elsewhere_becomes_html) {
  const std::string evil = "<script>\"'&";
  const auto html = landing_page_html({evil, evil, evil, evil, {{evil, evil}}});
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, HasSubstr("Target: &lt;script&gt;&quot;&#39;&amp;"));
  EXPECT_THAT(html, HasSubstr("href=\"&lt;script&gt;&quot;&#39;&amp;\""));
}

}  // namespace
}  // namespace beam_exporter::web
