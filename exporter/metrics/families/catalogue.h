#pragma once

#include <span>
#include <string_view>
#include <vector>

// Every family this exporter can serve, exactly once. Who makes families takes type, labels and
// help from here; who writes them refuses a family that is not here. exporter/metrics/README.md
// says the same for users; a unit test keeps the two equal. Names are API: never rename.
// Read-only after start; any thread.
namespace beam_exporter::metrics {

// The true type. prometheus-cpp knows neither info nor gaugehistogram: an info travels as a gauge
// of 1, a gaugehistogram as a histogram, and each writer looks here for what they really are.
enum class FamilyType { counter, gauge, info, histogram, gaugehistogram };

struct FamilySpec {
  // As its samples are called in both formats: a counter with `_total`, an info with `_info`.
  std::string_view name;
  FamilyType type = FamilyType::gauge;
  std::string_view unit;  // "seconds", "bytes", "ratio" or none; the name ends with it
  std::vector<std::string_view> labels;  // in the order they are written; `le` is not listed
  std::string_view help;                 // one sentence
};

// In the order in which they are served.
std::span<const FamilySpec> catalogue();

// nullptr when there is no such family.
const FamilySpec* find_family(std::string_view name);

// Says whether it describes the exporter, not the VM: process_* and beam_exporter_*, which
// --web.disable-exporter-metrics leaves out. Which exporter it is (build info) always stays.
bool about_exporter(const FamilySpec& family);

// The family name of OpenMetrics: without `_total` and `_info`.
std::string_view open_metrics_name(const FamilySpec& family);

std::string_view name_of(FamilyType type);

}  // namespace beam_exporter::metrics
