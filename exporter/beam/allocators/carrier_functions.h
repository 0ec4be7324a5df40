#pragma once

#include <vector>

#include "beam/allocators/allocator_instances.h"

namespace beam_exporter::beam {

// A function of the VM by which an allocator gets a carrier or makes one larger. They are static
// and exported by no release; every Allctr_t points to its own (erl_alloc_util.h, OTP 25 and 27).
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
  friend bool operator==(const CarrierFunction&, const CarrierFunction&) = default;
};

// Those of all instances, each once; empty where the layout does not tell or an instance cannot be
// read. Called when growth begins to be watched.
std::vector<CarrierFunction> carrier_functions(const Layout& layout, const os::Memory& memory,
                                               const AllocatorSet& set);

// By how much a carrier grows that had so many bytes (0: a new one) when one of them is asked for
// so many, as mseg_alloc rounds them (erl_mseg.c, OTP 25 and 27). A cached segment that is taken
// for one may be larger still.
std::uint64_t carrier_growth(CarrierFunction::Kind kind, std::uint64_t asked, std::uint64_t had,
                             std::uint32_t flags);

}  // namespace beam_exporter::beam
