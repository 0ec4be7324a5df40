#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// How good the sampling is: beam_samples_*, beam_sample_skid_seconds. Pure.
Families sample_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
