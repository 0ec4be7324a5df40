#include "verdict/memory_facts.h"

#include <algorithm>

namespace beam_exporter::verdict {

CarrierUse use_of(double bytes, double free, std::optional<double> largest) {
  if (free > 0.75 * bytes) return CarrierUse::nearly_empty;
  if (free <= 0.25 * bytes) return CarrierUse::well_used;
  return largest.value_or(0) >= 0.5 * free ? CarrierUse::large_holes : CarrierUse::small_holes;
}

double CarrierGroup::least_wasted() const {
  return resident ? std::clamp(*resident - block_bytes, 0.0, free()) : free();
}

double CarrierGroup::most_wasted() const { return resident ? std::min(*resident, free()) : free(); }

double AllocatorFacts::block_bytes() const {
  double sum = 0;
  for (const auto& group : by_use) sum += group.block_bytes;
  return sum;
}

double AllocatorFacts::multi_block_bytes() const {
  double sum = 0;
  for (const auto& group : by_use) sum += group.bytes;
  return sum - (*this)[CarrierUse::single_block].bytes;
}

double AllocatorFacts::mean_block() const {
  if (blocks <= 0) return 0;
  return (block_bytes() - (*this)[CarrierUse::single_block].block_bytes) / blocks;
}

const AllocatorFacts* MemoryFacts::allocator(std::string_view name) const {
  const auto found = std::ranges::find(allocators, name, &AllocatorFacts::name);
  return found == allocators.end() ? nullptr : &*found;
}

}  // namespace beam_exporter::verdict
