#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// The VM's allocators and carriers: beam_allocator_*, beam_carrier_*. Pure.
Families allocator_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
