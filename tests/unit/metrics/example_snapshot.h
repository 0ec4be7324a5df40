#pragma once

#include "metrics/families/families.h"
#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// One of everything, with the label values that break naive writers.
totals::Snapshot example_snapshot();
BuildInfo example_build();
// The snapshot's families and process_* of a made-up process.
Families example_families();

}  // namespace beam_exporter::metrics
