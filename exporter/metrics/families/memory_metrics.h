#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// What the VM's resident memory is made of: beam_memory_*. Pure.
Families memory_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
