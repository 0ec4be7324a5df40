#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// How good the sampling is: beam_samples_*, beam_sample_skid_seconds. Pure.
Families sample_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
