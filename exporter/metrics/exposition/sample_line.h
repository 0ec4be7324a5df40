#pragma once

#include <prometheus/client_metric.h>

#include <string>
#include <string_view>

namespace beam_exporter::metrics {

// One sample, the line both formats share: name and suffix, labels, value.
void append_sample(std::string_view name, std::string_view suffix,
                   const prometheus::ClientMetric& metric, double value, std::string& out);

// The bucket samples of a histogram: <name>_bucket with a last label `le`.
void append_buckets(std::string_view name, const prometheus::ClientMetric& metric,
                    std::string& out);

}  // namespace beam_exporter::metrics
