#include <chrono>

#include "metrics/families/families.h"

namespace beam_exporter::metrics {

Families exporter_metrics(const totals::Snapshot& snapshot, const BuildInfo& build) {
  Families out;
  FamilyBuilder("beam_exporter_build_info")
      .add({build.version, build.revision, build.compiler}, 1.0)
      .append_to(out);

  const auto& own = snapshot.own;
  FamilyBuilder features("beam_exporter_feature_enabled");
  for (const auto& [feature, enabled] : own.features) features.add({feature}, enabled ? 1.0 : 0.0);
  features.append_to(out);

  // Before the first look there is no time to publish.
  if (snapshot.taken != std::chrono::system_clock::time_point{}) {
    const std::chrono::duration<double> taken = snapshot.taken.time_since_epoch();
    FamilyBuilder("beam_exporter_snapshot_timestamp_seconds").add({}, taken.count()).append_to(out);
  }

  FamilyBuilder duration("beam_exporter_collector_duration_seconds");
  FamilyBuilder success("beam_exporter_collector_success");
  FamilyBuilder last("beam_exporter_collector_last_success_timestamp_seconds");
  for (const auto& [collector, run] : own.collectors) {
    duration.add({collector}, run.duration_seconds);
    success.add({collector}, run.success ? 1.0 : 0.0);
    last.add({collector}, run.last_success_seconds);
  }
  duration.append_to(out);
  success.append_to(out);
  last.append_to(out);

  FamilyBuilder torn("beam_exporter_torn_reads_total");
  for (const auto& [collector, count] : own.torn_reads) torn.add({collector}, count);
  torn.append_to(out);

  FamilyBuilder unwatched("beam_exporter_unwatched_threads");
  if (own.unwatched_threads)
    for (std::size_t kind = 0; kind < own.unwatched_threads->size(); ++kind)
      unwatched.add({attribution::thread_kind_names[kind]},
                    static_cast<double>((*own.unwatched_threads)[kind]));
  unwatched.append_to(out);

  FamilyBuilder("beam_exporter_sampling_runs_total").add({}, own.sampling_runs).append_to(out);
  FamilyBuilder("beam_exporter_sampling_seconds_total")
      .add({}, own.sampling_seconds)
      .append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
