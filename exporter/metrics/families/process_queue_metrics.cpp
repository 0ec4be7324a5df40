#include "metrics/families/families.h"

namespace beam_exporter::metrics {

Families process_queue_metrics(const totals::Snapshot& snapshot) {
  Families out;
  if (snapshot.figures == nullptr || !snapshot.figures->processes) return out;
  const auto& processes = *snapshot.figures->processes;
  FamilyBuilder("beam_process_heap_bytes").add({}, processes.heap_bytes).append_to(out);
  FamilyBuilder("beam_process_message_queue_length")
      .add({}, processes.message_queue_length)
      .append_to(out);
  FamilyBuilder("beam_process_messages_unmeasured")
      .add({}, processes.unmeasured_messages)
      .append_to(out);
  FamilyBuilder queues("beam_process_message_queue_length_top");
  for (const auto& process : processes.longest_queues) queues.add({process.name}, process.value);
  queues.append_to(out);
  FamilyBuilder heaps("beam_process_heap_bytes_top");
  for (const auto& process : processes.largest_heaps) heaps.add({process.name}, process.value);
  heaps.append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
