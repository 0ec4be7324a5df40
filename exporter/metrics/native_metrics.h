#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// What the C code under Erlang code is: beam_bif_*, beam_nif_*, beam_blame_*. Pure.
Families native_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
