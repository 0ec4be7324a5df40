#pragma once

#include <set>

#include "beam/hidden/hidden_vm.h"

namespace beam_exporter::beam {

// Globals that the JIT's shared code uses. It makes that code before any module's, so it stands at
// the beginning of one of its areas. From the machine code of beam/jit/x86 (OTP 29):
// BeamModuleAssembler::emit_leave_runtime reads the active code index, emit_process_main calls
// erts_schedule.
CodeGlobals find_jit_globals(const HiddenVm& vm);

// The functions in `code`, that of the executable, which the first 64 KiB of the JIT's areas call:
// its shared code is there. Most of these have no other caller.
std::set<os::Address> called_by_jit(const os::Memory& memory, const os::MemoryMap& map,
                                    os::AddressRange code);

}  // namespace beam_exporter::beam
