#pragma once

#include <optional>

#include "beam/hidden/hidden_vm.h"

namespace beam_exporter::beam {

// Globals that the JIT's shared code uses. It makes that code before any module's, so it stands at
// the beginning of one of its areas.
struct JitGlobals {
  std::optional<os::Address> active_code_index;  // the_active_code_index
  std::optional<os::Address> schedule;           // the function erts_schedule
};

// From the machine code of beam/jit/x86 (OTP 29): BeamModuleAssembler::emit_leave_runtime reads the
// active code index, emit_process_main calls erts_schedule.
JitGlobals find_jit_globals(const HiddenVm& vm);

}  // namespace beam_exporter::beam
