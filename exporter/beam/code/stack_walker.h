#pragma once

#include <chrono>

#include "beam/code/code_index.h"
#include "beam/code/stack.h"

namespace beam_exporter::beam {

// Finds the frames in the words of a stack. With frame pointers (erts_frame_layout is
// ERTS_FRAME_LAYOUT_FP_RA, erl_vm.h; emit_enter_frame in jit/x86/beam_asm.hpp; OTP 25 and 27) it
// follows their chain. Without them, and from where the chain breaks on, a word is a frame if it is
// tagged as a continuation pointer and points right after a call in module code. Linear in the
// number of words. One thread.
ErlangStack walk_stack(CodeIndex& code, const StackTop& top, const StackWords& words,
                       std::chrono::nanoseconds when);

}  // namespace beam_exporter::beam
