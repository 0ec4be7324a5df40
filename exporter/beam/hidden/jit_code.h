#pragma once

#include "beam/hidden/hidden_vm.h"

namespace beam_exporter::beam {

// Globals that the JIT's shared code uses. It makes that code before any module's, so it stands at
// the beginning of one of its areas. From the machine code of beam/jit/x86 (OTP 29):
// BeamModuleAssembler::emit_leave_runtime reads the active code index, emit_process_main calls
// erts_schedule.
CodeGlobals find_jit_globals(const HiddenVm& vm);

}  // namespace beam_exporter::beam
