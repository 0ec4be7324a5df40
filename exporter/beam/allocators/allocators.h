#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "beam/allocators/allocator_instances.h"

namespace beam_exporter::beam {

struct CarrierCounts {
  std::uint64_t carriers = 0;
  std::uint64_t carrier_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t block_bytes = 0;

  CarrierCounts& operator+=(const CarrierCounts& other) {
    carriers += other.carriers;
    carrier_bytes += other.carrier_bytes;
    blocks += other.blocks;
    block_bytes += other.block_bytes;
    return *this;
  }
  friend bool operator==(const CarrierCounts&, const CarrierCounts&) = default;
};

// One instance at one moment, as erlang:system_info({allocator, A}) tells it.
struct AllocatorStatistics {
  CarrierCounts multi_block;   // carriers it employs
  CarrierCounts single_block;  // one large block each
  // Carriers it made and abandoned, waiting for whoever needs room. pool.carriers may be wrong from
  // instrument:carriers/0 on (cpool_delete of its dummy, erl_alloc_util.c OTP 25; mended in 27):
  // count them by a walk.
  CarrierCounts pool;
  std::uint64_t segment_bytes = 0;  // of all these carriers: mapped by the VM, not by malloc
  std::uint64_t free_bytes = 0;     // in the multi-block carriers it employs
  std::uint64_t largest_free = 0;   // block there
  std::uint64_t operations = 0;  // allocations, frees, reallocations; equal twice: nothing happened

  // Where a walk begins: root of the carrier tree, first of each list; 0: none.
  os::Address carrier_tree = 0, multi_block_list = 0, single_block_list = 0;
};

// Statistics and largest free block of every instance: two system calls when all goes well, a few
// more for strategies that keep lists. Nothing is locked, so what does not add up is read again.
// One thread.
class AllocatorReader {
 public:
  // All three outlive it.
  AllocatorReader(const Layout& layout, const os::Memory& memory, const AllocatorSet& set);

  // By instance, in the order of the set. nullopt: some instance did not add up in five tries.
  std::optional<std::vector<AllocatorStatistics>> read();

  // Instances read again, and reads given up, since it was made.
  std::uint64_t retries() const { return retries_; }

 private:
  struct Cursor;  // on the way to an instance's largest free block

  bool take(std::size_t instance);
  void begin_largest(std::size_t instance, Cursor& cursor) const;
  void find_largest(std::vector<std::size_t>& instances, std::vector<std::size_t>& failed);
  bool advance(std::size_t instance, Cursor& cursor, std::span<const std::byte> bytes);

  const Layout* layout_;
  const os::Memory* memory_;
  const AllocatorSet* set_;
  std::uint64_t retries_ = 0;
  std::vector<std::vector<std::byte>> bytes_;  // of each instance, read anew each time
  std::vector<AllocatorStatistics> statistics_;
};

// Bytes of a free block from its header: erl_alloc_util.h MBC_FBLK_SZ (64-bit, OTP 25 and 27).
inline std::uint64_t free_block_bytes(std::uint64_t header) {
  return header & 0x7ffffffffffffff8ULL;
}

}  // namespace beam_exporter::beam
