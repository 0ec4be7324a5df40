#pragma once

#include <prometheus/collectable.h>

#include "metrics/families/exporter_metrics.h"
#include "totals/latest_snapshot.h"

namespace beam_exporter::metrics {

// Every family a snapshot holds, in no particular order. Pure.
Families snapshot_families(const totals::Snapshot& snapshot, const BuildInfo& build);

// The newest snapshot of a board as families. The board outlives it. Any thread; never waits for
// the sampling thread.
class SnapshotCollector : public prometheus::Collectable {
 public:
  SnapshotCollector(const totals::LatestSnapshot& board, BuildInfo build);
  Families Collect() const override;

 private:
  const totals::LatestSnapshot& board_;
  BuildInfo build_;
};

}  // namespace beam_exporter::metrics
