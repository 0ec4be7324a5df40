#include <algorithm>

#include "metrics/families/families.h"

namespace beam_exporter::metrics {

Families memory_metrics(const totals::Snapshot& snapshot) {
  Families out;
  if (snapshot.figures == nullptr) return out;
  const auto& figures = *snapshot.figures;
  if (const auto& memory = figures.memory) {
    FamilyBuilder("beam_memory_resident_bytes").add({}, memory->resident).append_to(out);
    FamilyBuilder("beam_memory_virtual_bytes").add({}, memory->virtual_size).append_to(out);
  }
  if (const auto& allocators = figures.allocators) {
    FamilyBuilder("beam_memory_carriers_bytes").add({}, allocators->carrier_bytes).append_to(out);
    FamilyBuilder("beam_memory_blocks_bytes").add({}, allocators->block_bytes).append_to(out);
    if (const auto cached = allocators->cached_segment_bytes)
      FamilyBuilder("beam_memory_mseg_cache_bytes").add({}, *cached).append_to(out);
  }
  if (const auto& parts = figures.resident_parts) {
    FamilyBuilder("beam_memory_anonymous_bytes").add({}, parts->anonymous).append_to(out);
    const auto literal_area = parts->by_part.find("literal_area");
    const double literals = literal_area == parts->by_part.end() ? 0 : literal_area->second;
    if (parts->carriers)
      FamilyBuilder("beam_memory_outside_carriers_bytes")
          .add({}, parts->resident - *parts->carriers - literals)
          .append_to(out);
    FamilyBuilder by_part("beam_memory_resident_part_bytes");
    for (const auto& [part, bytes] : parts->by_part) by_part.add({part}, bytes);
    by_part.append_to(out);
  }
  return out;
}

}  // namespace beam_exporter::metrics
