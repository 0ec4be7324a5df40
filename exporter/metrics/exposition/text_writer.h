#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <string>

#include "metrics/exposition/checked_families.h"
#include "os/result.h"

namespace beam_exporter::metrics {

// Prometheus text format 0.0.4. What it has no type for: an info is a gauge; a gaugehistogram is
// three families, <name>_bucket, <name>_gcount and <name>_gsum, with the series names it has in
// OpenMetrics, so that a query reads the same after either. Errors: see checked_families.h.
os::Result<std::string> write_text(std::span<const prometheus::MetricFamily> families);

// The same of families already checked.
std::string write_text(std::span<const CheckedFamily> families);

}  // namespace beam_exporter::metrics
