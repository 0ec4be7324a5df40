#pragma once

#include <functional>
#include <span>
#include <vector>

#include "beam/allocators/carrier_walk.h"
#include "os/memory/smaps.h"
#include "totals/vm_figures.h"

namespace beam_exporter::collectors {

// Bytes of these ranges in RAM; nullopt when that cannot be seen.
using ResidentIn =
    std::function<std::optional<std::uint64_t>(std::span<const os::AddressRange> ranges)>;

// What the VM says of memory beside its carriers; nullopt: not told.
struct BesideCarriers {
  std::optional<os::AddressRange> literal_area;
  std::optional<std::vector<os::AddressRange>> cached_segments;  // ascending, disjoint
};

// Whose the resident pages are. Parts: carriers (those of literals apart), literal_area (constants
// of modules), mseg_cache (segments kept for the next carriers), these three when pages can be seen
// and the VM tells where they are; jit_code (mapped twice by the VM and so counted twice by the
// kernel), files (the programs' own code and data), thread_stacks, c_heap (brk), other (anonymous
// memory that none of these explains: malloc arenas, large mallocs; without the right to see pages
// the first three too). Called by the collectors' thread.
totals::ResidentParts resident_parts(const std::vector<os::MappingUse>& uses,
                                     const std::vector<beam::Carrier>& carriers,
                                     const BesideCarriers& beside, const ResidentIn& resident_in);

}  // namespace beam_exporter::collectors
