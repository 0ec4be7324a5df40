#pragma once

#include <span>
#include <string_view>
#include <vector>

// Every family that this exporter can serve, exactly once. The code that makes families takes type,
// labels and help from here; the writers refuse a family that is not here.
// exporter/metrics/README.md says the same for users, and a unit test keeps the two equal. Names
// are API: never rename one. Read-only after start; any thread.
namespace beam_exporter::metrics {

// The real type. prometheus-cpp knows neither info nor gaugehistogram, so it carries an info as a
// gauge of 1 and a gaugehistogram as a histogram. Each writer looks here for the real type.
enum class FamilyType { counter, gauge, info, histogram, gaugehistogram };

struct FamilySpec {
  // The name of its samples in both formats: a counter with `_total`, an info with `_info`.
  std::string_view name;
  FamilyType type = FamilyType::gauge;
  std::string_view unit;  // "seconds", "bytes", "ratio" or empty; the name ends with it
  std::vector<std::string_view> labels;  // in the order they are written; `le` is not listed
  std::string_view help;                 // one sentence
};

// In the order in which the families are served.
std::span<const FamilySpec> catalogue();

// nullptr when there is no such family.
const FamilySpec* find_family(std::string_view name);

// True for families about the exporter, not the VM: process_* and beam_exporter_*.
// --web.disable-exporter-metrics leaves them out, except beam_exporter_build_info, for which this
// is false.
bool about_exporter(const FamilySpec& family);

// The name of the family in OpenMetrics: without `_total` and `_info`.
std::string_view open_metrics_name(const FamilySpec& family);

std::string_view name_of(FamilyType type);

}  // namespace beam_exporter::metrics
