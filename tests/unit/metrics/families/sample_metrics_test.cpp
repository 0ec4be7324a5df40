#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/families/families.h"
#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::ElementsAre;

TEST(SampleMetrics, before_the_first_sample_the_total_is_zero_and_no_histogram_is_made_up) {
  EXPECT_THAT(sample_lines(sample_metrics({})), ElementsAre("beam_samples_total 0"));
}

TEST(SampleMetrics, what_was_never_sampled_is_absent_not_zero) {
  totals::Snapshot snapshot;
  snapshot.sampled = false;
  snapshot.samples.lost = {{"ring_full", 0}};
  EXPECT_THAT(sample_lines(sample_metrics(snapshot)), ElementsAre());
}

TEST(SampleMetrics, every_reason_is_a_series_even_at_zero) {
  totals::Snapshot snapshot;
  snapshot.samples.total = 10;
  snapshot.samples.lost = {{"ring_full", 0}};
  snapshot.samples.unattributed = {{"unknown_code", 2}};
  EXPECT_THAT(
      sample_lines(sample_metrics(snapshot)),
      ElementsAre("beam_samples_total 10", "beam_samples_lost_total{reason=\"ring_full\"} 0",
                  "beam_samples_unattributed_total{reason=\"unknown_code\"} 2"));
}

TEST(SampleMetrics, buckets_become_cumulative_and_end_with_the_count) {
  totals::Snapshot snapshot;
  snapshot.samples.read_delay_seconds = {{0.001, 1}, {4, 0, 2}, 2.5};
  EXPECT_THAT(sample_lines(sample_metrics(snapshot)),
              ElementsAre("beam_samples_total 0", "beam_sample_skid_seconds_bucket{le=\"0.001\"} 4",
                          "beam_sample_skid_seconds_bucket{le=\"1.0\"} 4",
                          "beam_sample_skid_seconds_bucket{le=\"+Inf\"} 6",
                          "beam_sample_skid_seconds_sum 2.5", "beam_sample_skid_seconds_count 6"));
}

}  // namespace
}  // namespace beam_exporter::metrics
