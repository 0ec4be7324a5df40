#include "metrics/families/families.h"
#include "metrics/families/function_series.h"

namespace beam_exporter::metrics {

Families function_metrics(const totals::Snapshot& snapshot) {
  Families out;
  if (!snapshot.sampled) return out;
  append_functions("beam_function_cpu_seconds_total", snapshot.functions, out);
  append_functions("beam_function_inclusive_cpu_seconds_total", snapshot.inclusive_functions, out);
  FamilyBuilder processes("beam_process_cpu_seconds_total");
  for (const auto& each : snapshot.process_times) processes.add({each.process}, each.seconds);
  processes.append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
