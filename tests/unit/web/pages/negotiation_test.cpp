#include "web/pages/negotiation.h"

#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

constexpr std::string_view text = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view open_metrics =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
constexpr std::string_view draft = "application/openmetrics-text; version=0.0.1; charset=utf-8";

std::string_view answer_to(std::string_view accept) {
  return negotiate_format(accept).content_type;
}

TEST(NegotiateFormat, the_format_is_that_of_the_content_type) {
  EXPECT_EQ(negotiate_format("").format, metrics::Format::text_0_0_4);
  EXPECT_EQ(negotiate_format("application/openmetrics-text").format,
            metrics::Format::open_metrics_1_0_0);
}

TEST(NegotiateFormat, what_prometheus_sends_gets_open_metrics) {
  // 2.42
  EXPECT_EQ(answer_to("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                      "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            open_metrics);
  // 3.x
  EXPECT_EQ(answer_to("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
                      "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;"
                      "escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1"),
            open_metrics);
  // with PrometheusText0.0.4 as its only scrape protocol
  EXPECT_EQ(answer_to("text/plain;version=0.0.4;q=0.6,*/*;q=0.5"), text);
}

TEST(NegotiateFormat, quality_decides_and_zero_excludes) {
  EXPECT_EQ(answer_to("application/openmetrics-text;q=0.1,text/plain;q=0.2"), text);
  EXPECT_EQ(answer_to("application/openmetrics-text;q=0.2,text/plain;q=0.1"), open_metrics);
  EXPECT_EQ(answer_to("text/plain;q=0,*/*;q=0.1"), open_metrics);
  EXPECT_EQ(answer_to("application/openmetrics-text;q=0,*/*"), text);
}

TEST(NegotiateFormat, equal_qualities_are_decided_by_the_order_of_the_header) {
  EXPECT_EQ(answer_to("application/openmetrics-text,text/plain"), open_metrics);
  EXPECT_EQ(answer_to("text/plain,application/openmetrics-text"), text);
}

TEST(NegotiateFormat, versions_are_honoured) {
  EXPECT_EQ(answer_to("application/openmetrics-text;version=0.0.1"), draft);
  EXPECT_EQ(answer_to("application/openmetrics-text"), open_metrics);
  EXPECT_EQ(answer_to("application/openmetrics-text;version=2.0.0"), text);
  EXPECT_EQ(answer_to("application/openmetrics-text;version=2.0.0,"
                      "application/openmetrics-text;version=1.0.0;q=0.5"),
            open_metrics);
}

TEST(NegotiateFormat, wildcards_and_browsers_get_text) {
  EXPECT_EQ(answer_to("*/*"), text);
  EXPECT_EQ(answer_to("text/*"), text);
  EXPECT_EQ(answer_to("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), text);
  EXPECT_EQ(answer_to("application/*"), open_metrics);
}

TEST(NegotiateFormat, the_unknown_falls_back_to_text) {
  EXPECT_EQ(answer_to("image/png"), text);
  EXPECT_EQ(answer_to("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
                      "encoding=delimited"),
            text);
  EXPECT_EQ(answer_to(";;q=,,\"\"/=;"), text);
  EXPECT_EQ(answer_to("text/plain;q=0"), text);
}

TEST(WantsGzip, only_when_the_client_allows_it) {
  EXPECT_TRUE(wants_gzip("gzip"));
  EXPECT_TRUE(wants_gzip("deflate, GZIP;q=0.5"));
  EXPECT_TRUE(wants_gzip("x-gzip"));
  EXPECT_TRUE(wants_gzip("*"));
  EXPECT_FALSE(wants_gzip(""));
  EXPECT_FALSE(wants_gzip("gzip;q=0"));
  EXPECT_FALSE(wants_gzip("gzip;q=0.0, *"));
  EXPECT_FALSE(wants_gzip("deflate, br"));
  EXPECT_FALSE(wants_gzip("*;q=0"));
  EXPECT_FALSE(wants_gzip("notgzip"));
}

TEST(WantsGzip, identity_wins_when_it_is_wanted_more) {
  EXPECT_FALSE(wants_gzip("identity, gzip;q=0.5"));
  EXPECT_TRUE(wants_gzip("identity;q=0.5, gzip"));
  EXPECT_TRUE(wants_gzip("identity;q=0, gzip;q=0.1"));
}

}  // namespace
}  // namespace beam_exporter::web
