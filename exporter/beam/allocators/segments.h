#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "beam/allocators/allocators.h"
#include "beam/layout/static_data.h"

namespace beam_exporter::beam {

// What lies beside the carriers that the VM maps itself (erl_mmap.c, erl_mseg.c; OTP 25 and 27).
// Found once; one thread.
class Segments {
 public:
  // All outlive it.
  Segments(const Layout& layout, const StaticData& data, const os::Memory& memory);

  // Address space that carriers gave back and that the VM keeps for the next ones: all that it has
  // taken from the system less what carriers have. nullopt: the VM does not tell, or it took and
  // gave back segments while we looked, so that carriers seem to have more than there is.
  std::optional<std::uint64_t> cached_bytes(
      const AllocatorSet& set, const std::vector<AllocatorStatistics>& statistics) const;

  // Where the cached segments are, ascending. They are found by the shape of their caches; nullopt:
  // not found, or read while they changed. Segments on their way from one scheduler to another are
  // left out.
  std::optional<std::vector<os::AddressRange>> cached_segments() const;

  // Where the constants of loaded modules are, literal_alloc's carriers among them. By default it
  // is a reserve of 1 GiB, of which little is in use. nullopt: the VM does not tell.
  std::optional<os::AddressRange> literal_area() const { return literal_area_; }

 private:
  const Layout* layout_;
  const os::Memory* memory_;
  void find_caches(const StaticData& data);

  std::optional<os::Address> mapper_;
  os::Address caches_ = 0;  // of the first; 0: not found
  std::size_t cache_count_ = 0;
  std::optional<os::AddressRange> literal_area_;
};

}  // namespace beam_exporter::beam
