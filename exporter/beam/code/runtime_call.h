#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "beam/layout/layout.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::beam {

// Where the Erlang stack pointer is kept while JIT code calls C code (x86-64; emit_enter_runtime
// and emit_leave_runtime in erts/emulator/beam/jit/x86/beam_asm.hpp, OTP 24, 25 and 27).
enum class SavedStackPointer {
  in_process,  // in Process.stop: stored before the call, loaded after it
  in_rbp,      // which C functions preserve; Process.stop is stale. OTP 25 and later
  in_r12,      // the same, OTP 24: `E_saved`
  unknown,
};

// nullopt where it is in no register.
std::optional<os::UserRegisters::Index> register_of(SavedStackPointer saved);

// How many bytes of code after the return address we need.
inline constexpr std::size_t leave_runtime_bytes = 128;

// The code after the call must restore the stack pointer, by `mov rsp, [r13 + stop]`, `mov rsp,
// rbp` or `mov rsp, r12`: the first of them tells.
SavedStackPointer saved_stack_pointer(const Layout& layout,
                                      std::span<const std::byte> code_behind_call);

}  // namespace beam_exporter::beam
