#include "beam/allocators/carrier_functions.h"

#include <algorithm>
#include <bit>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// Four of each mapper, and there are two mappers (erl_alloc.c); more is not this struct.
constexpr std::size_t most_functions = 8;

// erl_mseg.h: ERTS_MSEG_FLG_2POW, MSEG_ALIGNED_SIZE.
constexpr std::uint32_t power_of_two_flag = 1;
constexpr std::uint64_t page = 4096, segment_unit = 1 << 18, most_bytes = std::uint64_t{1} << 47;

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
      // An allocator that may only have one kind of carrier has no function for the other.
      const CarrierFunction function{allocator.get(field).value_or(0), kind};
      if (function.address == 0 || std::ranges::count(functions, function) > 0) continue;
      if (functions.size() == most_functions) return {};
      functions.push_back(function);
    }
  }
  return functions;
}

std::uint64_t carrier_growth(CarrierFunction::Kind kind, std::uint64_t asked, std::uint64_t had,
                             std::uint32_t flags) {
  using Kind = CarrierFunction::Kind;
  if (asked > most_bytes || had > asked) return 0;
  std::uint64_t bytes = asked;
  if (kind == Kind::segment_alloc && (flags & power_of_two_flag) != 0)
    bytes = std::bit_ceil(rounded_up(asked, segment_unit));
  else if (kind == Kind::segment_alloc || kind == Kind::segment_realloc)
    bytes = rounded_up(asked, page);
  return bytes - had;
}

}  // namespace beam_exporter::beam
