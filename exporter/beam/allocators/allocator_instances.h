#pragma once

#include <string>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "elf/image.h"
#include "os/memory/memory.h"
#include "os/result.h"

namespace beam_exporter::beam {

// How an instance keeps its free blocks: ErtsAlcStrat_t, erl_alloc_util.h (OTP 25 and 27).
enum class AllocatorStrategy { good_fit = 1, best_fit = 2, a_fit = 3, address_order_first_fit = 4 };

// One Allctr_t; its place and these fields never change while the VM lives.
struct AllocatorInstance {
  unsigned allocator = 0;  // ERTS_ALC_A_*, index of AllocatorSet::names
  unsigned index = 0;      // as the VM numbers them; 0 serves threads that have none of their own
  os::Address address = 0;
  AllocatorStrategy strategy = AllocatorStrategy::address_order_first_fit;
  std::uint64_t header_bytes = 0;  // of a multi-block carrier
  os::Address sentinel = 0;        // of the pool its carriers are abandoned to; 0: none
};

struct AllocatorSet {
  std::vector<std::string> names;  // by allocator number: "eheap_alloc"; [0] is empty
  std::size_t kinds = 0;           // blocks are counted apart for this many allocator numbers
  std::vector<AllocatorInstance> instances;
};

// Every alloc_util allocator that is enabled, through the tables erts_allctrs_info and
// erts_allctr_thr_spec (erl_alloc.c). Called once at attach. Errors: unsupported (no such symbols),
// malformed (a table or an instance that does not name itself).
os::Result<AllocatorSet> find_allocators(const Layout& layout, const elf::Image& image,
                                         const StaticData& data, const os::Memory& memory);

}  // namespace beam_exporter::beam
