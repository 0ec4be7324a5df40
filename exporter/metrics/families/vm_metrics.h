#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// The VM as a process: beam_up, beam_vm_*, beam_target_restarts_total. Pure.
Families vm_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
