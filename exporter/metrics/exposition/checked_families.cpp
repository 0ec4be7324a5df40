#include "metrics/exposition/checked_families.h"

#include <algorithm>
#include <string>

namespace beam_exporter::metrics {
namespace {

bool carries(prometheus::MetricType carrier, FamilyType type) {
  switch (type) {
    case FamilyType::counter:
      return carrier == prometheus::MetricType::Counter;
    case FamilyType::gauge:
    case FamilyType::info:
      return carrier == prometheus::MetricType::Gauge;
    case FamilyType::histogram:
    case FamilyType::gaugehistogram:
      return carrier == prometheus::MetricType::Histogram;
  }
  return false;
}

bool labelled_as(const prometheus::ClientMetric& metric, const FamilySpec& spec) {
  return std::equal(metric.label.begin(), metric.label.end(), spec.labels.begin(),
                    spec.labels.end(),
                    [](const auto& label, std::string_view name) { return label.name == name; });
}

os::Error mistake(std::string_view family, std::string_view what) {
  return {os::ErrorKind::malformed, "metric family " + std::string(family) + std::string(what)};
}

}  // namespace

os::Result<std::vector<CheckedFamily>> checked(std::span<const prometheus::MetricFamily> families) {
  std::vector<CheckedFamily> out;
  out.reserve(families.size());
  for (const auto& family : families) {
    const auto* spec = find_family(family.name);
    if (!spec) return mistake(family.name, " is not in the catalogue");
    if (!carries(family.type, spec->type)) return mistake(family.name, " is not of its type");
    for (const auto& metric : family.metric)
      if (!labelled_as(metric, *spec)) return mistake(family.name, " has other labels");
    out.push_back({spec, &family});
  }
  // The catalogue is one array, so the address of a spec gives its order.
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.spec < b.spec; });
  const auto twice = std::adjacent_find(
      out.begin(), out.end(), [](const auto& a, const auto& b) { return a.spec == b.spec; });
  if (twice != out.end()) return mistake(twice->spec->name, " appears twice");
  return out;
}

}  // namespace beam_exporter::metrics
