#include "metrics/exposition/text_writer.h"

#include <string_view>

#include "metrics/exposition/escape.h"
#include "metrics/exposition/sample_line.h"

namespace beam_exporter::metrics {
namespace {

void append_head(std::string_view name, std::string_view suffix, std::string_view type,
                 std::string_view help, std::string& out) {
  out.append("# HELP ").append(name).append(suffix).append(" ");
  append_help(help, Quotes::as_they_are, out);
  out.append("\n# TYPE ").append(name).append(suffix).append(" ").append(type).append("\n");
}

void append_histogram(const CheckedFamily& checked, std::string& out) {
  const auto name = checked.spec->name;
  append_head(name, "", "histogram", checked.spec->help, out);
  for (const auto& metric : checked.family->metric) {
    append_buckets(name, metric, out);
    append_sample(name, "_sum", metric, metric.histogram.sample_sum, out);
    append_sample(name, "_count", metric, static_cast<double>(metric.histogram.sample_count), out);
  }
}

// Buckets that can go down are no counters, and 0.0.4 has no such histogram. They are untyped and
// not gauges: promtool's rules allow the name _bucket and the label le only there.
void append_gaugehistogram(const CheckedFamily& checked, std::string& out) {
  const auto name = checked.spec->name;
  const auto help = checked.spec->help;
  append_head(name, "_bucket", "untyped", help, out);
  for (const auto& metric : checked.family->metric) append_buckets(name, metric, out);
  append_head(name, "_gcount", "gauge", help, out);
  for (const auto& metric : checked.family->metric)
    append_sample(name, "_gcount", metric, static_cast<double>(metric.histogram.sample_count), out);
  append_head(name, "_gsum", "gauge", help, out);
  for (const auto& metric : checked.family->metric)
    append_sample(name, "_gsum", metric, metric.histogram.sample_sum, out);
}

void append_family(const CheckedFamily& checked, std::string& out) {
  const auto name = checked.spec->name;
  switch (checked.spec->type) {
    case FamilyType::counter:
      append_head(name, "", "counter", checked.spec->help, out);
      for (const auto& metric : checked.family->metric)
        append_sample(name, "", metric, metric.counter.value, out);
      return;
    case FamilyType::gauge:
    case FamilyType::info:
      append_head(name, "", "gauge", checked.spec->help, out);
      for (const auto& metric : checked.family->metric)
        append_sample(name, "", metric, metric.gauge.value, out);
      return;
    case FamilyType::histogram:
      return append_histogram(checked, out);
    case FamilyType::gaugehistogram:
      return append_gaugehistogram(checked, out);
  }
}

}  // namespace

os::Result<std::string> write_text(std::span<const prometheus::MetricFamily> families) {
  const auto all = checked(families);
  if (!all) return all.error();
  return write_text(std::span(*all));
}

std::string write_text(std::span<const CheckedFamily> families) {
  std::string out;
  for (const auto& family : families) append_family(family, out);
  return out;
}

}  // namespace beam_exporter::metrics
