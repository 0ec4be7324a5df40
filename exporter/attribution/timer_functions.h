#pragma once

#include "attribution/function_search.h"

namespace beam_exporter::attribution {

// The functions of beam/time.c in an emulator that exports none of them, all or none: those that
// set a timer, cancel it, and look for those that have expired. The code of one source file lies
// together: they lie beside the function that prints an error about the resolution of timers.
// `known` must know erts_schedule and driver_cancel_timer, which drivers may call.
FunctionSearch::Names timer_functions(const elf::DirectCalls& calls,
                                      const elf::NativeSymbols& symbols, const elf::TextUses& texts,
                                      const FunctionSearch& known);

}  // namespace beam_exporter::attribution
