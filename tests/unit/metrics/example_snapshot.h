#pragma once

#include "attribution/snapshot.h"
#include "metrics/exporter_metrics.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// One of everything, with the label values that break naive writers.
attribution::Snapshot example_snapshot();
BuildInfo example_build();
// The snapshot's families and process_* of a made-up process.
Families example_families();

}  // namespace beam_exporter::metrics
