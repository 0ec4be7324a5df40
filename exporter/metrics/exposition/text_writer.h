#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <string>

#include "metrics/exposition/checked_families.h"
#include "os/result.h"

namespace beam_exporter::metrics {

// Prometheus text format 0.0.4. It has no type for two of ours: an info becomes a gauge; a
// gaugehistogram becomes three families, <name>_bucket, <name>_gcount and <name>_gsum. Their series
// have the same names as in OpenMetrics, so that a query reads the same after both formats. Errors:
// see checked_families.h.
os::Result<std::string> write_text(std::span<const prometheus::MetricFamily> families);

// The same for families that are already checked.
std::string write_text(std::span<const CheckedFamily> families);

}  // namespace beam_exporter::metrics
