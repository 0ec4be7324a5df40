#pragma once

#include <string>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "elf/image.h"
#include "os/memory/memory.h"
#include "os/result.h"

namespace beam_exporter::beam {

// How an instance keeps its free blocks: ErtsAlcStrat_t, erl_alloc.h (OTP 25 and 27).
enum class AllocatorStrategy { good_fit = 1, best_fit = 2, a_fit = 3, address_order_first_fit = 4 };

// One Allctr_t. Its address and these fields never change.
struct AllocatorInstance {
  unsigned allocator = 0;  // ERTS_ALC_A_*, index of AllocatorSet::names
  unsigned index = 0;      // the VM's number; instance 0 serves threads without an own instance
  os::Address address = 0;
  AllocatorStrategy strategy = AllocatorStrategy::address_order_first_fit;
  std::uint64_t header_bytes = 0;  // the size of a multi-block carrier's header
  os::Address sentinel = 0;        // of the pool that takes its abandoned carriers; 0: none
};

struct AllocatorSet {
  std::vector<std::string> names;  // by allocator number: "eheap_alloc"; [0] is empty
  std::size_t kinds = 0;  // the VM counts the blocks of this many allocator numbers separately
  std::vector<AllocatorInstance> instances;
};

// Finds every alloc_util allocator that is enabled, in the tables erts_allctrs_info and
// erts_allctr_thr_spec (erl_alloc.c, OTP 25 and 27). Called once at attach. Errors: unsupported (no
// such symbols), malformed (a record or an instance does not hold its own number).
os::Result<AllocatorSet> find_allocators(const Layout& layout, const StaticData& data,
                                         const os::Memory& memory);

}  // namespace beam_exporter::beam
