#include "web/pages/live_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/inflated.h"
#include "web/live/assets.h"
#include "web/pages/pages.h"

namespace beam_exporter::web {
namespace {

using ::testing::HasSubstr;

class LivePageTest : public ::testing::Test {
 protected:
  LivePageTest() { add_live_page(router_, latest_); }

  Response get(const std::string& path, std::vector<Header> headers = {}) {
    return router_.answer({.method = "GET", .path = path, .headers = std::move(headers)});
  }

  totals::LatestSnapshot latest_;
  Router router_;
};

TEST_F(LivePageTest, the_overview_follows_the_newest_snapshot) {
  EXPECT_THAT(*get("/api/v1/overview").body, HasSubstr("\"number\":0"));
  auto snapshot = std::make_shared<totals::Snapshot>();
  snapshot->number = 7;
  latest_.publish(std::move(snapshot));
  const auto answer = get("/api/v1/overview");
  EXPECT_THAT(*answer.body, HasSubstr("\"number\":7"));
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_EQ(get("/api/v1/overview").body, answer.body) << "made once for all who ask";
}

TEST_F(LivePageTest, everything_is_compressed_for_those_who_take_it) {
  const auto plain = get("/assets/live.js");
  const auto small = get("/assets/live.js", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(plain.content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(tests::inflated(*small.body), *plain.body);
  EXPECT_LT(small.body->size(), plain.body->size());
}

TEST_F(LivePageTest, the_page_asks_only_for_what_is_there) {
  WebOptions options;
  const auto router = pages(options, {.version = "1", .latest = &latest_});
  const auto page = router.answer({.method = "GET", .path = "/"});
  std::size_t found = 0;
  for (std::string_view text = *page.body; text.find("\"assets/") != text.npos; ++found) {
    text.remove_prefix(text.find("\"assets/") + 1);
    const std::string path = "/" + std::string(text.substr(0, text.find('"')));
    EXPECT_EQ(router.answer({.method = "GET", .path = path}).status, 200) << path;
  }
  EXPECT_GE(found, 2u);
}

}  // namespace
}  // namespace beam_exporter::web
