#include "web/pages/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <optional>
#include <thread>

#include "harness/inflated.h"

namespace beam_exporter::web {
namespace {

os::Result<metrics::Page> render(metrics::Format format) {
  return std::make_shared<const std::string>(
      format == metrics::Format::open_metrics_1_0_0 ? "open\n" : "text\n");
}

Request asking(const std::string& accept, const std::string& encoding = "") {
  Request request;
  request.method = "GET";
  request.headers = {{"Accept", accept}, {"Accept-Encoding", encoding}};
  return request;
}

TEST(MetricsPage, answers_in_the_format_and_the_coding_that_was_asked_for) {
  MetricsPage page(render, 0);
  const auto plain = page(asking("*/*"));
  EXPECT_EQ(plain.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(*plain.body, "text\n");

  const auto open = page(asking("application/openmetrics-text", "gzip"));
  EXPECT_EQ(open.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_EQ(tests::inflated(*open.body), "open\n");
  EXPECT_EQ(open.headers.back().name, "Content-Encoding");
}

TEST(MetricsPage, notes_what_prometheus_has_seen_and_that_others_asked) {
  totals::LatestSnapshot latest;
  auto snapshot = std::make_shared<totals::Snapshot>();
  snapshot->number = 12;
  latest.publish(snapshot);
  MetricsPage page(render, 0, &latest);
  const auto seen = [&] {
    return latest.scrapers().seen_by_all(20, totals::Scrapers::Clock::now());
  };
  EXPECT_EQ(seen(), totals::Scrapers::all_snapshots);
  page(asking("*/*"));
  EXPECT_EQ(seen(), 20U);
  auto scrape = asking("*/*");
  scrape.remote_address = "prometheus-0";
  scrape.headers.push_back({"X-Prometheus-Scrape-Timeout-Seconds", "10"});
  page(scrape);
  EXPECT_EQ(seen(), 12U);
}

TEST(MetricsPage, an_answer_counts_until_it_is_let_go) {
  MetricsPage page(render, 2);
  std::optional<Response> one = page(asking("*/*"));
  const std::optional<Response> two = page(asking("*/*"));
  EXPECT_EQ(one->status, 200);
  EXPECT_EQ(two->status, 200);
  EXPECT_EQ(page(asking("*/*")).status, 503);
  EXPECT_EQ(page(asking("*/*")).status, 503);
  one.reset();
  EXPECT_EQ(page(asking("*/*")).status, 200);
}

TEST(MetricsPage, zero_is_no_limit) {
  MetricsPage page(render, 0);
  std::vector<Response> held;
  for (int i = 0; i < 100; ++i) held.push_back(page(asking("*/*")));
  EXPECT_EQ(held.back().status, 200);
}

}  // namespace
}  // namespace beam_exporter::web
