#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// The VM as a process: beam_up, beam_vm_*, beam_target_restarts_total. Pure.
Families vm_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
