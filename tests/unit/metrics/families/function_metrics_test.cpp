#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/families/families.h"
#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FunctionMetrics, nothing_seen_nothing_served) { EXPECT_THAT(function_metrics({}), IsEmpty()); }

TEST(FunctionMetrics, self_and_inclusive_time_are_families_of_their_own) {
  totals::Snapshot snapshot;
  snapshot.functions = {{"lists", "map/2", 1.5}, {"", "other", 2}};
  snapshot.inclusive_functions = {{"app", "main/0", 3}};
  EXPECT_THAT(
      sample_lines(function_metrics(snapshot)),
      ElementsAre(
          "beam_function_cpu_seconds_total{module=\"lists\",function=\"map/2\"} 1.5",
          "beam_function_cpu_seconds_total{module=\"\",function=\"other\"} 2",
          "beam_function_inclusive_cpu_seconds_total{module=\"app\",function=\"main/0\"} 3"));
}

TEST(FunctionMetrics, equal_labels_become_one_series_at_the_place_of_the_first) {
  totals::Snapshot snapshot;
  snapshot.functions = {{"Foo", "bar/1", 1}, {"lists", "map/2", 5}, {"Foo", "bar/1", 2}};
  EXPECT_THAT(
      sample_lines(function_metrics(snapshot)),
      ElementsAre("beam_function_cpu_seconds_total{module=\"Foo\",function=\"bar/1\"} 3",
                  "beam_function_cpu_seconds_total{module=\"lists\",function=\"map/2\"} 5"));
}

}  // namespace
}  // namespace beam_exporter::metrics
