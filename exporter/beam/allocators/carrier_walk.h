#pragma once

#include <optional>
#include <vector>

#include "beam/allocators/allocators.h"

namespace beam_exporter::beam {

struct Carrier {
  os::Address address = 0;
  unsigned allocator = 0;
  std::size_t instance = 0;   // of the AllocatorSet; of a pooled one: any that shares the pool
  bool pooled = false;        // abandoned: in no instance's multi-block statistics
  bool single_block = false;  // then `used` and `largest` are not told
  std::uint64_t size = 0;
  std::uint64_t head = 0;                // bytes of it that are the carrier's own
  std::uint64_t used = 0;                // bytes of blocks, their headers included
  std::optional<std::uint64_t> largest;  // free block; nullopt: too many free blocks to look at

  std::uint64_t free() const { return size - head - used; }
};

struct CarrierWalk {
  std::vector<Carrier> carriers;
  std::uint64_t reads = 0;    // pieces of memory asked for
  std::uint64_t retries = 0;  // walks thrown away
  bool whole = false;         // false: never agreed in five tries, `carriers` is empty
};

// Every carrier of every instance: employed ones through the carrier trees (or lists, by strategy),
// abandoned ones through the pools, single-block ones through their lists. The trees and lists of
// all instances are followed together, one batch of reads per step. Nothing is locked:
// back-pointers, owners, sizes and the VM's own counters before and after must agree, or it begins
// anew. One thread.
CarrierWalk walk_carriers(const Layout& layout, const os::Memory& memory, const AllocatorSet& set,
                          AllocatorReader& reader);

}  // namespace beam_exporter::beam
