#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "beam/allocators/carrier_walk.h"
#include "os/memory/smaps.h"
#include "totals/vm_figures.h"

namespace beam_exporter::collectors {

// Bytes of these ranges that are in RAM; nullopt when that cannot be seen.
using ResidentIn =
    std::function<std::optional<std::uint64_t>(std::span<const os::AddressRange> ranges)>;

// Memory outside the carriers, as the VM describes it; nullopt: not known.
struct BesideCarriers {
  std::optional<os::AddressRange> literal_area;
  std::optional<std::vector<os::AddressRange>> cached_segments;  // ascending, disjoint
};

// The part to which the pages of a carrier count; outlives the call.
using PartOfCarrier = std::function<std::string_view(const beam::Carrier& carrier)>;
inline std::string_view all_carriers(const beam::Carrier&) { return "carriers"; }

// Splits the resident pages into parts. The first three are known when pages can be seen and the VM
// shows where they are: carriers (except those of literals; `part_of_carrier` may split them
// further), literal_area (constants of modules), mseg_cache (segments kept for the next carriers).
// The others: jit_code (the VM maps it twice, so the kernel counts it twice), files (the programs'
// own code and data), thread_stacks, c_heap (brk), other (anonymous memory that is in no other
// part: malloc arenas, large mallocs; without the right to see pages the first three too). Called
// by the collectors' thread.
totals::ResidentParts resident_parts(const std::vector<os::MappingUse>& uses,
                                     const std::vector<beam::Carrier>& carriers,
                                     const BesideCarriers& beside, const ResidentIn& resident_in,
                                     const PartOfCarrier& part_of_carrier = all_carriers);

}  // namespace beam_exporter::collectors
