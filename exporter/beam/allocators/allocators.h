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

// The statistics of one instance at one moment, as in erlang:system_info({allocator, A}).
struct AllocatorStatistics {
  CarrierCounts multi_block;   // carriers in use by the instance
  CarrierCounts single_block;  // one large block each
  // Carriers that the instance made and abandoned; any instance may take them. After a call of
  // instrument:carriers/0, pool.carriers may be wrong (cpool_delete of its dummy, erl_alloc_util.c
  // OTP 25; fixed in 27): count them by a walk.
  CarrierCounts pool;
  // The part of the multi-block and single-block carriers that the VM has mapped, not malloc.
  std::uint64_t segment_bytes = 0;
  // Carriers that the instance got from malloc, less those that it freed and those that it has,
  // modulo 2^64: below 0 where it took some that others had made. Over all instances this adds up
  // to the carriers from malloc that no instance has: those in the pools, and those on the way back
  // to who made them. nullopt: the layout does not have the two counters.
  std::optional<std::uint64_t> system_carriers_away;
  std::uint64_t free_bytes = 0;    // in the multi-block carriers in use
  std::uint64_t largest_free = 0;  // the largest free block there
  // Allocations, frees, reallocations; the same number twice: nothing happened in between.
  std::uint64_t operations = 0;

  // Where a walk begins: the root of the carrier tree, the first carrier of each list; 0: none.
  os::Address carrier_tree = 0, multi_block_list = 0, single_block_list = 0;
};

// Reads statistics and the largest free block of every instance. Mostly two system calls; a few
// more for strategies that keep lists. We cannot lock anything in the VM, so an instance whose
// numbers contradict each other is read again. One thread.
class AllocatorReader {
 public:
  // All arguments must outlive the reader.
  AllocatorReader(const Layout& layout, const os::Memory& memory, const AllocatorSet& set);

  // One element per instance, in the order of the set. nullopt: the numbers of an instance
  // contradicted each other in five tries.
  std::optional<std::vector<AllocatorStatistics>> read();

  // How often an instance was read again or given up.
  std::uint64_t retries() const { return retries_; }

 private:
  struct Cursor;  // a search for an instance's largest free block

  bool take(std::size_t instance);
  void begin_largest(std::size_t instance, Cursor& cursor) const;
  void find_largest(std::vector<std::size_t>& instances, std::vector<std::size_t>& failed);
  bool advance(std::size_t instance, Cursor& cursor, std::span<const std::byte> bytes);

  const Layout* layout_;
  const os::Memory* memory_;
  const AllocatorSet* set_;
  std::uint64_t retries_ = 0;
  std::vector<std::vector<std::byte>> bytes_;  // of each instance; read again each time
  std::vector<AllocatorStatistics> statistics_;
};

// The size of a free block in bytes, from its header (MBC_FBLK_SZ in erl_alloc_util.h, 64-bit, OTP
// 25 and 27).
inline std::uint64_t free_block_bytes(std::uint64_t header) {
  return header & 0x7ffffffffffffff8ULL;
}

}  // namespace beam_exporter::beam
