#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "beam/code/interpreter.h"

namespace beam_exporter::beam {

// Where process_main keeps `I` and `E` when its compiler did not obey the source: clang, which
// ignores the names of registers there, and gcc without optimization. Every VM instruction ends
// with a jump to wherever the next one begins, so that all of them must find both variables in the
// same places; mostly in words of the frame. The code proves them: what it stores to Process.stop
// it has loaded from one word of the frame before, and what it reads the operands of instructions
// by it has loaded from another one, or it is a register; both much more often than any other.
// nullopt: it does not. Called by find_interpreter.
std::optional<Interpreter::Places> interpreter_frame(const Layout& layout,
                                                     std::span<const std::byte> code);

}  // namespace beam_exporter::beam
