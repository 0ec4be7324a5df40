#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// What the scheduler threads do with their time: beam_scheduler_*. Pure.
Families scheduler_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
