#pragma once

#include "beam/hidden/hidden_vm.h"

namespace beam_exporter::beam {

// process_main is the one large function whose code proves the interpreter's registers
// (beam/code/interpreter.h); nothing is told when two do. From its code the rest (emu/beam_emu.c
// and emu/instrs.tab, OTP 28 and 29): the instructions that call an export read the active code
// index, and it gives the running process to erts_schedule.
CodeGlobals find_interpreter_globals(const HiddenVm& vm);

}  // namespace beam_exporter::beam
