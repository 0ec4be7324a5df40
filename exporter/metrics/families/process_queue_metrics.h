#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// Heaps and message queues of the VM's processes: beam_process_heap_*, beam_process_message_*.
// Pure.
Families process_queue_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
