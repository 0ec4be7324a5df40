#include <string>

#include "metrics/families/families.h"

namespace beam_exporter::metrics {

Families scheduler_metrics(const totals::Snapshot& snapshot) {
  Families out;
  FamilyBuilder state_seconds("beam_scheduler_state_seconds_total");
  for (const auto& scheduler : snapshot.schedulers) {
    const auto number = std::to_string(scheduler.number);
    for (std::size_t state = 0; state < scheduler.seconds.size(); ++state) {
      if (!scheduler.known[state]) continue;
      state_seconds.add(
          {attribution::name_of(scheduler.kind), number, attribution::state_names[state]},
          scheduler.seconds[state]);
    }
  }
  state_seconds.append_to(out);
  FamilyBuilder utilization("beam_scheduler_utilization_ratio");
  for (const auto& scheduler : snapshot.schedulers)
    utilization.add({attribution::name_of(scheduler.kind), std::to_string(scheduler.number)},
                    scheduler.utilization);
  utilization.append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
