#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// What the scheduler threads do with their time: beam_scheduler_*. Pure.
Families scheduler_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
