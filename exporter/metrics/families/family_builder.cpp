#include "metrics/families/family_builder.h"

#include <limits>
#include <string>
#include <utility>

namespace beam_exporter::metrics {
namespace {

// The type that carries a family through prometheus-cpp; see FamilyType.
prometheus::MetricType carrier_of(FamilyType type) {
  switch (type) {
    case FamilyType::counter:
      return prometheus::MetricType::Counter;
    case FamilyType::gauge:
    case FamilyType::info:
      return prometheus::MetricType::Gauge;
    case FamilyType::histogram:
    case FamilyType::gaugehistogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

}  // namespace

FamilyBuilder::FamilyBuilder(std::string_view name) : spec_(find_family(name)) {
  family_.name = name;
  if (!spec_) return;
  family_.help = spec_->help;
  family_.type = carrier_of(spec_->type);
}

prometheus::ClientMetric& FamilyBuilder::new_metric(
    std::initializer_list<std::string_view> labels) {
  auto& metric = family_.metric.emplace_back();
  metric.label.reserve(labels.size());
  std::size_t position = 0;
  for (const auto value : labels) {
    const bool known = spec_ && position < spec_->labels.size();
    metric.label.push_back(
        {known ? std::string(spec_->labels[position]) : std::string(), std::string(value)});
    ++position;
  }
  return metric;
}

FamilyBuilder& FamilyBuilder::add(std::initializer_list<std::string_view> labels, double value) {
  auto& metric = new_metric(labels);
  if (family_.type == prometheus::MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  return *this;
}

FamilyBuilder& FamilyBuilder::add(std::initializer_list<std::string_view> labels,
                                  std::optional<double> value) {
  return value ? add(labels, *value) : *this;
}

FamilyBuilder& FamilyBuilder::add(std::initializer_list<std::string_view> labels,
                                  const totals::Histogram& histogram) {
  // The histogram was never filled: the value is absent. A histogram without observations is not
  // absent.
  if (histogram.bucket_counts.size() != histogram.bounds.size() + 1) return *this;
  auto& out = new_metric(labels).histogram;
  out.sample_sum = histogram.sum;
  out.bucket.reserve(histogram.bucket_counts.size());
  for (std::size_t i = 0; i < histogram.bucket_counts.size(); ++i) {
    out.sample_count += histogram.bucket_counts[i];
    const bool last = i == histogram.bounds.size();
    out.bucket.push_back(
        {out.sample_count, last ? std::numeric_limits<double>::infinity() : histogram.bounds[i]});
  }
  return *this;
}

void FamilyBuilder::append_to(Families& families) {
  if (!family_.metric.empty()) families.push_back(std::move(family_));
}

}  // namespace beam_exporter::metrics
