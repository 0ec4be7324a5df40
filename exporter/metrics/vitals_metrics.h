#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// What the VM counts of itself: processes, ports, atoms and tables with their limits, run queues,
// reductions, context switches, garbage collections, I/O. Pure.
Families vitals_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
