#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "beam/allocators/allocators.h"
#include "beam/layout/static_data.h"

namespace beam_exporter::beam {

// The memory that the VM has mapped besides carriers: the caches of segments, and the literal area
// (sys/common/erl_mmap.c and erl_mseg.c, OTP 25 and 27). Their places are found once. One thread.
class Segments {
 public:
  // All arguments must outlive this object.
  Segments(const Layout& layout, const StaticData& data, const os::Memory& memory);

  // Address space that the VM keeps for future carriers after others have freed it: all that the VM
  // has mapped, less what carriers have. nullopt: the VM does not tell; abandoned carriers may be
  // from malloc; or segments were mapped or freed while we read, so that carriers seem to have more
  // than there is.
  std::optional<std::uint64_t> cached_bytes(
      const AllocatorSet& set, const std::vector<AllocatorStatistics>& statistics) const;

  // Where the cached segments are, ascending. nullopt: we did not recognize the caches, or they
  // changed while we read them. Segments that move from one scheduler to another are missing.
  std::optional<std::vector<os::AddressRange>> cached_segments() const;

  // The area for the constants of loaded modules; literal_alloc's carriers lie in it. By default a
  // reserve of 1 GiB, of which little is in use. nullopt: the VM does not tell.
  std::optional<os::AddressRange> literal_area() const { return literal_area_; }

 private:
  const Layout* layout_;
  const os::Memory* memory_;
  void find_caches(const StaticData& data);

  std::optional<os::Address> mapper_;
  os::Address caches_ = 0;  // address of the first cache; 0: not found
  std::size_t cache_count_ = 0;
  std::optional<os::AddressRange> literal_area_;
};

}  // namespace beam_exporter::beam
