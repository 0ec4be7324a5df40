#pragma once

#include <prometheus/collectable.h>

#include "attribution/snapshot_board.h"
#include "metrics/exporter_metrics.h"

namespace beam_exporter::metrics {

// Every family a snapshot holds, in no particular order. Pure.
Families snapshot_families(const attribution::Snapshot& snapshot, const BuildInfo& build);

// The newest snapshot of a board as families. The board outlives it. Any thread; never waits for
// the sampling thread.
class SnapshotCollector : public prometheus::Collectable {
 public:
  SnapshotCollector(const attribution::SnapshotBoard& board, BuildInfo build);
  Families Collect() const override;

 private:
  const attribution::SnapshotBoard& board_;
  BuildInfo build_;
};

}  // namespace beam_exporter::metrics
