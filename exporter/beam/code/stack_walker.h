#pragma once

#include <chrono>

#include "beam/code/code_index.h"
#include "beam/code/stack.h"

namespace beam_exporter::beam {

// Words of a stack to frames. With frame pointers (erts_frame_layout 1, jit/x86/beam_asm.hpp, OTP
// 25+) the chain is followed where it holds; otherwise, and below where it breaks, every word that
// is tagged as a continuation pointer and leads right behind a call in module code is a frame.
// Linear in the words given. One thread.
ErlangStack walk_stack(CodeIndex& code, const StackTop& top, const StackWords& words,
                       std::chrono::nanoseconds when);

}  // namespace beam_exporter::beam
