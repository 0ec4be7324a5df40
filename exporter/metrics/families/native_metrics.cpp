#include "metrics/families/families.h"
#include "metrics/families/function_series.h"

namespace beam_exporter::metrics {

Families native_metrics(const totals::Snapshot& snapshot) {
  Families out;
  if (!snapshot.sampled) return out;
  append_functions("beam_bif_cpu_seconds_total", snapshot.bifs, out);
  append_functions("beam_nif_cpu_seconds_total", snapshot.nifs, out);
  FamilyBuilder("beam_nif_time_ratio").add({}, snapshot.nif_time_ratio).append_to(out);
  FamilyBuilder("beam_nif_hold_seconds").add({}, snapshot.nif_hold_seconds).append_to(out);
  FamilyBuilder blame("beam_blame_cpu_seconds_total");
  for (const auto& [native, functions] : snapshot.blame)
    for (const auto& [function, seconds] : summed(functions))
      blame.add({native, function->module, function->function}, seconds);
  blame.append_to(out);
  FamilyBuilder growth("beam_allocator_growth_bytes_total");
  for (const auto& [allocator, functions] : snapshot.growth)
    for (const auto& [function, bytes] : summed(functions))
      growth.add({allocator, function->module, function->function}, bytes);
  growth.append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
