#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// The VM's allocators and carriers: beam_allocator_*, beam_carrier_*. Pure.
Families allocator_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
