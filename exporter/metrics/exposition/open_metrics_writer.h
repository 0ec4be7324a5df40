#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <string>

#include "metrics/exposition/checked_families.h"
#include "os/result.h"

namespace beam_exporter::metrics {

// OpenMetrics text 1.0.0, "# EOF" included. Errors: see checked_families.h.
os::Result<std::string> write_open_metrics(std::span<const prometheus::MetricFamily> families);

// The same for families that are already checked.
std::string write_open_metrics(std::span<const CheckedFamily> families);

}  // namespace beam_exporter::metrics
