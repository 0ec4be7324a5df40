#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// What the VM's resident memory is made of: beam_memory_*. Pure.
Families memory_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
