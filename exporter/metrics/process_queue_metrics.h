#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// Heaps and message queues of the VM's processes: beam_process_heap_*, beam_process_message_*.
// Pure.
Families process_queue_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
