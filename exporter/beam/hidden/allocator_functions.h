#pragma once

#include <map>
#include <string_view>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"

namespace beam_exporter::beam {

// The functions through which the whole VM gets and gives back memory, by their address in the VM:
// the table erts_allctrs points to them (erl_alloc.h, OTP 25 to 29), and is found by its pointers
// into erts_allctr_thr_spec, which `data` must know. All functions that resize a block have the
// name erts_alcu_realloc: the table does not tell them apart. `code` is that of the executable.
// Empty where `data` has no such table, or more than one.
std::map<os::Address, std::string_view> allocator_functions(const Layout& layout,
                                                            const StaticData& data,
                                                            os::AddressRange code);

}  // namespace beam_exporter::beam
