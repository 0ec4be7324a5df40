#include "metrics/families/families.h"

namespace beam_exporter::metrics {

Families sample_metrics(const totals::Snapshot& snapshot) {
  Families out;
  if (!snapshot.sampled) return out;
  const auto& samples = snapshot.samples;
  FamilyBuilder("beam_samples_total").add({}, samples.total).append_to(out);

  FamilyBuilder lost("beam_samples_lost_total");
  for (const auto& [reason, count] : samples.lost) lost.add({reason}, count);
  lost.append_to(out);

  FamilyBuilder unattributed("beam_samples_unattributed_total");
  for (const auto& [reason, count] : samples.unattributed) unattributed.add({reason}, count);
  unattributed.append_to(out);

  FamilyBuilder("beam_sample_skid_seconds").add({}, samples.read_delay_seconds).append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
