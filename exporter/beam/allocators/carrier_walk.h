#pragma once

#include <optional>
#include <vector>

#include "beam/allocators/allocators.h"

namespace beam_exporter::beam {

struct Carrier {
  os::Address address = 0;
  unsigned allocator = 0;
  // Index in the AllocatorSet; for a pooled carrier: any instance that shares the pool.
  std::size_t instance = 0;
  bool pooled = false;        // abandoned: not in the multi-block statistics of any instance
  bool single_block = false;  // then `used` and `largest` are not known
  std::uint64_t size = 0;
  std::uint64_t head = 0;  // bytes of the carrier's own header
  std::uint64_t used = 0;  // bytes of blocks, including their headers
  // The largest free block; nullopt: too many free blocks to look at.
  std::optional<std::uint64_t> largest;

  std::uint64_t free() const { return size - head - used; }
};

struct CarrierWalk {
  std::vector<Carrier> carriers;
  std::uint64_t reads = 0;    // pieces of memory that were read
  std::uint64_t retries = 0;  // walks that were given up
  bool whole = false;         // false: five tries have failed, and `carriers` is empty
};

// Finds every carrier of every instance: those in use through the carrier trees (or lists, by
// strategy), abandoned ones through the pools, single-block ones through their lists. Follows the
// trees and lists of all instances together, with one batch of reads per step. We cannot lock
// anything in the VM: if back-pointers, owners, sizes and the VM's own counters before and after
// the walk do not agree, the walk starts again. One thread.
CarrierWalk walk_carriers(const Layout& layout, const os::Memory& memory, const AllocatorSet& set,
                          AllocatorReader& reader);

}  // namespace beam_exporter::beam
