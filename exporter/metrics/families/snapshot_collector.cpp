#include "metrics/families/snapshot_collector.h"

#include <iterator>
#include <utility>

#include "metrics/families/allocator_metrics.h"
#include "metrics/families/function_metrics.h"
#include "metrics/families/memory_metrics.h"
#include "metrics/families/native_metrics.h"
#include "metrics/families/process_queue_metrics.h"
#include "metrics/families/sample_metrics.h"
#include "metrics/families/scheduler_metrics.h"
#include "metrics/families/vitals_metrics.h"
#include "metrics/families/vm_metrics.h"

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

SnapshotCollector::SnapshotCollector(const totals::LatestSnapshot& board, BuildInfo build)
    : board_(board), build_(std::move(build)) {}

Families SnapshotCollector::Collect() const {
  const auto snapshot = board_.newest();
  return snapshot_families(*snapshot, build_);
}

}  // namespace beam_exporter::metrics
