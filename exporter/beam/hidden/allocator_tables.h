#pragma once

#include <optional>

#include "beam/hidden/hidden_vm.h"

namespace beam_exporter::beam {

struct AllocatorTables {
  os::AddressRange names;    // erts_alc_a2ad: char*[], by allocator number
  os::AddressRange info;     // erts_allctrs_info
  os::AddressRange threads;  // erts_allctr_thr_spec
};

// The names are constants. A record of the other two tables is found by the pointer in it: the
// `extra` of an allocator with an instance for each thread points to its record in the other table
// (start_au_allocator in erl_alloc.c, OTP 25 to 29).
// Believed only if every instance behind them holds its own number.
std::optional<AllocatorTables> find_allocator_tables(const HiddenVm& vm);

// Puts them into `data` under these names.
void tell(const AllocatorTables& tables, StaticData& data);

}  // namespace beam_exporter::beam
