#include "metrics/exposition/open_metrics_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/metrics/example_snapshot.h"
#include "unit/metrics/gauge_histogram.h"
#include "unit/metrics/golden.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::HasSubstr;

TEST(OpenMetricsWriter, writes_the_example_exactly) {
  const auto text = write_open_metrics(example_families());
  ASSERT_TRUE(text) << text.error().text;
  expect_golden("exposition.om", *text);
}

TEST(OpenMetricsWriter, a_gaugehistogram_is_one_family) {
  const GaugeHistogram example;
  const auto family = example.checked();
  EXPECT_EQ(write_open_metrics(std::span(&family, 1)),
            "# TYPE beam_example_bytes gaugehistogram\n"
            "# UNIT beam_example_bytes bytes\n"
            "# HELP beam_example_bytes Sizes of things.\n"
            "beam_example_bytes_bucket{allocator=\"binary\",le=\"1024.0\"} 1\n"
            "beam_example_bytes_bucket{allocator=\"binary\",le=\"+Inf\"} 3\n"
            "beam_example_bytes_gcount{allocator=\"binary\"} 3\n"
            "beam_example_bytes_gsum{allocator=\"binary\"} 5000\n"
            "beam_example_bytes_bucket{allocator=\"eheap\",le=\"1024.0\"} 1\n"
            "beam_example_bytes_bucket{allocator=\"eheap\",le=\"+Inf\"} 3\n"
            "beam_example_bytes_gcount{allocator=\"eheap\"} 3\n"
            "beam_example_bytes_gsum{allocator=\"eheap\"} 5000\n"
            "# EOF\n");
}

TEST(OpenMetricsWriter, nothing_is_a_page_that_ends) {
  const auto text = write_open_metrics(Families{});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "# EOF\n");
}

TEST(OpenMetricsWriter, passes_on_what_the_check_refuses) {
  Families families(1);
  families[0].name = "beam_nothing";
  const auto text = write_open_metrics(families);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text, HasSubstr("beam_nothing"));
}

}  // namespace
}  // namespace beam_exporter::metrics
