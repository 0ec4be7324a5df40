#pragma once

#include <set>

#include "attribution/function_search.h"

namespace beam_exporter::attribution {

// Functions of an emulator that exports none of them, by the address of their first byte, found
// from those that are `known`: erts_schedule, and the C functions of BIFs, named as
// "erts_internal_garbage_collect_1". They lead to the others by their calls and by the texts that
// these print. `called_by_jit`: those that the JIT's code calls. Functions that together mean one
// state are found all or not at all: half of them would be a wrong number.
FunctionSearch::Names hidden_functions(const elf::DirectCalls& calls,
                                       const elf::NativeSymbols& symbols,
                                       const elf::TextUses& texts,
                                       const FunctionSearch::Names& known,
                                       const std::set<std::uint64_t>& called_by_jit);

}  // namespace beam_exporter::attribution
