#include "beam/allocators/carrier_functions.h"

#include <algorithm>
#include <bit>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// All allocators have the same four (erts_alcu_start, erl_alloc_util.c), except that literal_alloc
// has its own two for segments (set_default_literal_alloc_opts, erl_alloc.c; OTP 25 and 27). With
// many more, the layout is wrong.
constexpr std::size_t most_callers = 8;

// ERTS_MSEG_FLG_2POW and MSEG_ALIGNED_SIZE, sys/common/erl_mseg.h; the unit is that of 64 bits,
// ERTS_MMAP_SUPERALIGNED_BITS in sys/common/erl_mmap.h (OTP 25 and 27).
constexpr std::uint32_t power_of_two_flag = 1;
constexpr std::uint64_t system_page = 4096, segment_unit = 1 << 14,
                        largest_request = std::uint64_t{1} << 47;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

std::vector<CarrierFunction> carrier_functions(const Layout& layout, const os::Memory& memory,
                                               const AllocatorSet& set) {
  using Kind = CarrierFunction::Kind;
  const auto& at = layout.allocators.allocator;
  std::vector<CarrierFunction> functions;
  for (const auto& instance : set.instances) {
    const auto bytes = read_struct(memory, instance.address, at.size);
    if (!bytes) return {};
    const StructBytes allocator(*bytes);
    for (const auto& [field, kind] : {std::pair{at.segment_alloc, Kind::segment_alloc},
                                      {at.segment_realloc, Kind::segment_realloc},
                                      {at.system_alloc, Kind::system_alloc},
                                      {at.system_realloc, Kind::system_realloc}}) {
      if (!field.present()) return {};
      // An allocator that uses one kind of carrier only has no function for the other kind.
      const CarrierFunction function{allocator.get(field).value_or(0), kind};
      if (function.address == 0 || std::ranges::count(functions, function) > 0) continue;
      if (functions.size() == most_callers) return {};
      functions.push_back(function);
    }
  }
  return functions;
}

std::uint64_t carrier_growth(CarrierFunction::Kind kind, std::uint64_t new_bytes,
                             std::uint64_t old_bytes, std::uint32_t flags) {
  using Kind = CarrierFunction::Kind;
  if (new_bytes > largest_request || old_bytes > new_bytes) return 0;
  std::uint64_t bytes = new_bytes;
  if (kind == Kind::segment_alloc && (flags & power_of_two_flag) != 0)
    bytes = std::bit_ceil(rounded_up(new_bytes, segment_unit));
  else if (kind == Kind::segment_alloc || kind == Kind::segment_realloc)
    bytes = rounded_up(new_bytes, system_page);
  return bytes - old_bytes;
}

}  // namespace beam_exporter::beam
