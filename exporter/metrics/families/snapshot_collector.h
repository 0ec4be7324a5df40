#pragma once

#include <prometheus/collectable.h>

#include "metrics/families/families.h"
#include "totals/latest_snapshot.h"

namespace beam_exporter::metrics {

// Every family of a snapshot, in no particular order. Pure.
Families snapshot_families(const totals::Snapshot& snapshot, const BuildInfo& build);

// The latest snapshot as families. The LatestSnapshot must outlive this. Any thread; never waits
// for the sampling thread.
class SnapshotCollector : public prometheus::Collectable {
 public:
  SnapshotCollector(const totals::LatestSnapshot& latest, BuildInfo build);
  Families Collect() const override;

 private:
  const totals::LatestSnapshot& latest_;
  BuildInfo build_;
};

}  // namespace beam_exporter::metrics
