#pragma once

#include <vector>

#include "beam/allocators/allocator_instances.h"

namespace beam_exporter::beam {

// A function of the VM that gets a new carrier for an allocator, or makes a carrier larger. These
// functions are static except those of literal_alloc, so that most are not exported; every Allctr_t
// points to those that it uses (erl_alloc_util.h and .c, OTP 25 and 27).
struct CarrierFunction {
  enum class Kind {
    segment_alloc,    // (Allctr_t *, Uint *size, Uint flags)
    system_alloc,     // (Allctr_t *, Uint *size, int)
    segment_realloc,  // (Allctr_t *, void *, Uint old, Uint *size)
    system_realloc,   // (Allctr_t *, void *, Uint *size, Uint old, int)
  };
  static constexpr unsigned kinds = 4;
  os::Address address = 0;
  Kind kind = Kind::segment_alloc;
  bool behind = false;  // it is called by one of that kind: allocators/inlined_carriers.h
  friend bool operator==(const CarrierFunction&, const CarrierFunction&) = default;
};

// The functions of all instances, each once. Empty where the layout does not have them, or an
// instance cannot be read. Called when we begin to watch growth.
std::vector<CarrierFunction> carrier_functions(const Layout& layout, const os::Memory& memory,
                                               const AllocatorSet& set);

// By how many bytes a carrier grows when the VM asks such a function for `new_bytes`; `old_bytes`
// is its size before (0: a new carrier). Rounds sizes like mseg_alloc (sys/common/erl_mseg.c, OTP
// 25 and 27). If the VM takes a cached segment, the carrier may be larger than that.
std::uint64_t carrier_growth(CarrierFunction::Kind kind, std::uint64_t new_bytes,
                             std::uint64_t old_bytes, std::uint32_t flags);

}  // namespace beam_exporter::beam
