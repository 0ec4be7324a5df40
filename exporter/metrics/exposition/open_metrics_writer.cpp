#include "metrics/exposition/open_metrics_writer.h"

#include <string_view>

#include "metrics/exposition/escape.h"
#include "metrics/exposition/sample_line.h"

namespace beam_exporter::metrics {
namespace {

// TYPE, UNIT, HELP: the order that the specification asks for.
void append_head(const FamilySpec& spec, std::string& out) {
  const auto name = open_metrics_name(spec);
  out.append("# TYPE ").append(name).append(" ").append(name_of(spec.type)).append("\n");
  if (!spec.unit.empty())
    out.append("# UNIT ").append(name).append(" ").append(spec.unit).append("\n");
  out.append("# HELP ").append(name).append(" ");
  append_help(spec.help, Quotes::escaped, out);
  out += '\n';
}

void append_metric(const FamilySpec& spec, const prometheus::ClientMetric& metric,
                   std::string& out) {
  const auto count = static_cast<double>(metric.histogram.sample_count);
  switch (spec.type) {
    case FamilyType::counter:
      return append_sample(spec.name, "", metric, metric.counter.value, out);
    case FamilyType::gauge:
    case FamilyType::info:
      return append_sample(spec.name, "", metric, metric.gauge.value, out);
    case FamilyType::histogram:
      append_buckets(spec.name, metric, out);
      append_sample(spec.name, "_count", metric, count, out);
      return append_sample(spec.name, "_sum", metric, metric.histogram.sample_sum, out);
    case FamilyType::gaugehistogram:
      append_buckets(spec.name, metric, out);
      append_sample(spec.name, "_gcount", metric, count, out);
      return append_sample(spec.name, "_gsum", metric, metric.histogram.sample_sum, out);
  }
}

}  // namespace

os::Result<std::string> write_open_metrics(std::span<const prometheus::MetricFamily> families) {
  const auto all = checked(families);
  if (!all) return all.error();
  return write_open_metrics(std::span(*all));
}

std::string write_open_metrics(std::span<const CheckedFamily> families) {
  std::string out;
  for (const auto& family : families) {
    append_head(*family.spec, out);
    for (const auto& metric : family.family->metric) append_metric(*family.spec, metric, out);
  }
  out += "# EOF\n";
  return out;
}

}  // namespace beam_exporter::metrics
