#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "beam/layout/layout.h"

namespace beam_exporter::beam {

// Where the Erlang stack pointer is while C code runs that JIT code has called (x86-64,
// erts/emulator/beam/jit/x86/beam_asm.hpp emit_enter_runtime and emit_leave_runtime, OTP 25 and
// 27).
enum class SavedStackPointer {
  in_process,   // Process.stop: stored before the call, loaded after it
  in_register,  // rbp, which C keeps: Process.stop is stale
  unknown,
};

// How much code behind the return address is looked at.
inline constexpr std::size_t leave_runtime_bytes = 128;

// Told by the code behind the call, which has to get the stack pointer back: `mov rsp, [r13 +
// stop]` or `mov rsp, rbp`, whichever comes first.
SavedStackPointer saved_stack_pointer(const Layout& layout,
                                      std::span<const std::byte> code_behind_call);

}  // namespace beam_exporter::beam
