#pragma once

#include "beam/allocators/allocators.h"
#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// Four consistent allocator instances in the memory of a FakeVm, one for each strategy, for tests
// that walk and corrupt them. The first has three carriers in a tree, one single-block carrier and
// one carrier in the pool; each other instance has one carrier with two free blocks.
class AllocatorsInMemory {
 public:
  explicit AllocatorsInMemory(FakeVm& vm);

  beam::AllocatorSet set;
  static constexpr std::uint64_t carrier_bytes = 1 << 20, used_bytes = 1 << 18,
                                 largest_free = 1 << 16, smaller_free = 1 << 12;

  os::Address tree[3] = {};  // the root is first
  os::Address single_block = 0, pooled = 0, sentinel = 0;
  os::Address lists[3] = {};           // carriers of the others
  os::Address free_blocks[3][2] = {};  // their free blocks, in the order of the walk

  // All memory of the allocators: address and bytes of each struct.
  struct Piece {
    os::Address begin = 0;
    std::uint32_t bytes = 0;
  };
  std::vector<Piece> pieces;

 private:
  os::Address make_instance(unsigned number, beam::AllocatorStrategy strategy, std::uint32_t size);
  os::Address make_carrier(os::Address instance, std::uint32_t bytes, std::uint64_t flags);
  void make_tree();
  void make_pool();
  void make_blocks(unsigned number);

  FakeVm& vm_;
  const beam::AllocatorLayouts& structs_;
  os::Address next_carrier_ = 0x7d0000000000;
};

}  // namespace beam_exporter::tests
