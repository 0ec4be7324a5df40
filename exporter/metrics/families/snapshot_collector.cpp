#include "metrics/families/snapshot_collector.h"

#include <iterator>
#include <utility>

#include "metrics/families/families.h"

namespace beam_exporter::metrics {

Families snapshot_families(const totals::Snapshot& snapshot, const BuildInfo& build) {
  Families all = vm_metrics(snapshot);
  const auto append = [&](Families more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  append(scheduler_metrics(snapshot));
  append(function_metrics(snapshot));
  append(native_metrics(snapshot));
  append(sample_metrics(snapshot));
  append(allocator_metrics(snapshot));
  append(memory_metrics(snapshot));
  append(process_queue_metrics(snapshot));
  append(vitals_metrics(snapshot));
  append(exporter_metrics(snapshot, build));
  return all;
}

SnapshotCollector::SnapshotCollector(const totals::LatestSnapshot& latest, BuildInfo build)
    : latest_(latest), build_(std::move(build)) {}

Families SnapshotCollector::Collect() const {
  const auto snapshot = latest_.newest();
  return snapshot_families(*snapshot, build_);
}

}  // namespace beam_exporter::metrics
