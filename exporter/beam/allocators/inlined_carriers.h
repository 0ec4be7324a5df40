#pragma once

#include <optional>
#include <vector>

#include "beam/allocators/carrier_functions.h"
#include "os/memory/memory_map.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::beam {

// Where a function stands that one of the functions that get carriers calls, and what is there:
// erts_mseg_alloc_opt and erts_mseg_realloc_opt (sys/common/erl_mseg.c), or erts_sys_alloc,
// erts_sys_aligned_alloc and those for realloc (sys/unix/sys.c, OTP 23 to 29). It does not know the
// Allctr_t: its callers have that in a register, and only these get a carrier.
struct CarrierCall {
  os::Address return_to = 0;
  os::UserRegisters::Index allocator = os::UserRegisters::rbx;
  friend bool operator==(const CarrierCall&, const CarrierCall&) = default;
};

// What the VM enters whenever it gets a carrier.
struct CarrierEntries {
  static constexpr std::size_t most_calls = 64;  // Debian's OTP 29 has some ten
  std::vector<CarrierFunction> functions;
  std::vector<CarrierCall> calls;  // of those that are `behind`
};

// Where the compiler has put a function into its callers (code/compared_addresses.h), the functions
// that it calls stand for it. Both it and a caller must count such calls in the same member of
// their Allctr_t (code/counted_calls.h). nullopt where they do not. Reads the code: some
// milliseconds.
std::optional<CarrierEntries> carrier_entries(const std::vector<CarrierFunction>& functions,
                                              const os::Memory& memory, const os::MemoryMap& map);

}  // namespace beam_exporter::beam
