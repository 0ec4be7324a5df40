#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "elf/direct_calls.h"

namespace beam_exporter::attribution {

// Functions of an emulator that exports none of them, by the address of their first byte: the BIFs
// that are known lead to them. `collecting_bif` is the C function of
// erts_internal:garbage_collect/1. Empty when the calls are other than in the releases that we
// know.
std::map<std::uint64_t, std::string_view> hidden_functions(const elf::DirectCalls& calls,
                                                           std::uint64_t collecting_bif);

}  // namespace beam_exporter::attribution
