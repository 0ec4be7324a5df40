#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "metrics/families/families.h"
#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::ElementsAre;

TEST(ExporterMetrics, the_build_is_known_before_anything_else) {
  EXPECT_THAT(sample_lines(exporter_metrics({}, {"1.2.3", "f00", "gcc 12"})),
              ElementsAre("beam_exporter_build_info{version=\"1.2.3\",revision=\"f00\","
                          "compiler=\"gcc 12\"} 1"));
}

TEST(ExporterMetrics, features_collectors_and_torn_reads_come_from_the_snapshot) {
  totals::Snapshot snapshot;
  snapshot.taken = std::chrono::system_clock::time_point(std::chrono::milliseconds(1500));
  snapshot.own.features = {{"ebpf", false}, {"perf_events", true}};
  snapshot.own.collectors = {{"vm", {0.25, true}}, {"heap", {1, false}}};
  snapshot.own.torn_reads = {{"heap", 3}};
  auto lines = sample_lines(exporter_metrics(snapshot, {}));
  lines.erase(lines.begin());
  EXPECT_THAT(lines, ElementsAre("beam_exporter_feature_enabled{feature=\"ebpf\"} 0",
                                 "beam_exporter_feature_enabled{feature=\"perf_events\"} 1",
                                 "beam_exporter_snapshot_timestamp_seconds 1.5",
                                 "beam_exporter_collector_duration_seconds{collector=\"heap\"} 1",
                                 "beam_exporter_collector_duration_seconds{collector=\"vm\"} 0.25",
                                 "beam_exporter_collector_success{collector=\"heap\"} 0",
                                 "beam_exporter_collector_success{collector=\"vm\"} 1",
                                 "beam_exporter_torn_reads_total{collector=\"heap\"} 3"));
}

}  // namespace
}  // namespace beam_exporter::metrics
