#include "metrics/exposition/sample_line.h"

#include "metrics/exposition/escape.h"
#include "metrics/exposition/number_text.h"

namespace beam_exporter::metrics {
namespace {

// Leaves the brace open when there are labels. Returns whether there are.
bool append_open_labels(const prometheus::ClientMetric& metric, std::string& out) {
  char separator = '{';
  for (const auto& label : metric.label) {
    out += separator;
    out += label.name;
    out += "=\"";
    append_label_value(label.value, out);
    out += '"';
    separator = ',';
  }
  return !metric.label.empty();
}

void append_value_and_end(double value, std::string& out) {
  out += ' ';
  append_value(value, out);
  out += '\n';
}

}  // namespace

void append_sample(std::string_view name, std::string_view suffix,
                   const prometheus::ClientMetric& metric, double value, std::string& out) {
  out += name;
  out += suffix;
  if (append_open_labels(metric, out)) out += '}';
  append_value_and_end(value, out);
}

void append_buckets(std::string_view name, const prometheus::ClientMetric& metric,
                    std::string& out) {
  for (const auto& bucket : metric.histogram.bucket) {
    out += name;
    out += "_bucket";
    out += append_open_labels(metric, out) ? ',' : '{';
    out += "le=\"";
    append_bound(bucket.upper_bound, out);
    out += "\"}";
    append_value_and_end(static_cast<double>(bucket.cumulative_count), out);
  }
}

}  // namespace beam_exporter::metrics
