#pragma once

#include <vector>

#include "beam/allocators/allocator_instances.h"

namespace beam_exporter::beam {

struct FreeBlock {
  os::Address address = 0;
  std::uint64_t bytes = 0;
};

struct FreeBlocks {
  std::vector<FreeBlock> blocks;
  std::uint64_t reads = 0;
  bool whole = true;  // false: there are too many, and `blocks` is empty
  bool torn = false;  // they changed while we read them
};

// Reads every free block of an instance whose strategy does not keep them by carrier: best fit (a
// tree, with lists of blocks of equal size), a fit (a list), good fit (lists). Called by the
// carrier walk.
FreeBlocks read_free_blocks(const Layout& layout, const os::Memory& memory,
                            const AllocatorInstance& instance);

}  // namespace beam_exporter::beam
