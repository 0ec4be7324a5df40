#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// What the VM counts of itself: processes, ports, atoms and tables with their limits, run queues,
// reductions, context switches, garbage collections, I/O. Pure.
Families vitals_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
