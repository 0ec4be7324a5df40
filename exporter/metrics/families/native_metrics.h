#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// What the C code under Erlang code is: beam_bif_*, beam_nif_*, beam_blame_*. Pure.
Families native_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
