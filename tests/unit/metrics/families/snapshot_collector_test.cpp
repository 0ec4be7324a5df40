#include "metrics/families/snapshot_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "unit/metrics/example_snapshot.h"
#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::Contains;

TEST(SnapshotCollector, serves_the_newest_snapshot_of_its_board) {
  totals::LatestSnapshot latest;
  const SnapshotCollector collector(latest, example_build());
  EXPECT_THAT(sample_lines(collector.Collect()), Contains("beam_up 0"));

  latest.publish(std::make_shared<const totals::Snapshot>(example_snapshot()));
  EXPECT_THAT(sample_lines(collector.Collect()), Contains("beam_up 1"));
  EXPECT_THAT(sample_lines(collector.Collect()), Contains("beam_target_restarts_total 2"));
}

}  // namespace
}  // namespace beam_exporter::metrics
