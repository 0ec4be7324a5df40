#include "metrics/exposition/text_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/metrics/example_snapshot.h"
#include "unit/metrics/gauge_histogram.h"
#include "unit/metrics/golden.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::HasSubstr;

TEST(TextWriter, writes_the_example_exactly) {
  const auto text = write_text(example_families());
  ASSERT_TRUE(text) << text.error().text;
  expect_golden("exposition.txt", *text);
}

TEST(TextWriter, a_gaugehistogram_is_three_families_with_the_series_names_of_open_metrics) {
  const GaugeHistogram example;
  const auto family = example.checked();
  EXPECT_EQ(write_text(std::span(&family, 1)),
            "# HELP beam_example_bytes_bucket Sizes of things.\n"
            "# TYPE beam_example_bytes_bucket untyped\n"
            "beam_example_bytes_bucket{allocator=\"binary\",le=\"1024.0\"} 1\n"
            "beam_example_bytes_bucket{allocator=\"binary\",le=\"+Inf\"} 3\n"
            "beam_example_bytes_bucket{allocator=\"eheap\",le=\"1024.0\"} 1\n"
            "beam_example_bytes_bucket{allocator=\"eheap\",le=\"+Inf\"} 3\n"
            "# HELP beam_example_bytes_gcount Sizes of things.\n"
            "# TYPE beam_example_bytes_gcount gauge\n"
            "beam_example_bytes_gcount{allocator=\"binary\"} 3\n"
            "beam_example_bytes_gcount{allocator=\"eheap\"} 3\n"
            "# HELP beam_example_bytes_gsum Sizes of things.\n"
            "# TYPE beam_example_bytes_gsum gauge\n"
            "beam_example_bytes_gsum{allocator=\"binary\"} 5000\n"
            "beam_example_bytes_gsum{allocator=\"eheap\"} 5000\n");
}

TEST(TextWriter, nothing_is_an_empty_page) {
  const auto text = write_text(Families{});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "");
}

TEST(TextWriter, passes_on_what_the_check_refuses) {
  Families families(1);
  families[0].name = "beam_nothing";
  const auto text = write_text(families);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text, HasSubstr("beam_nothing"));
}

}  // namespace
}  // namespace beam_exporter::metrics
