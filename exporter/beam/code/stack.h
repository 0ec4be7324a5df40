#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "beam/code/code_answer.h"
#include "beam/terms/mfa.h"
#include "os/address.h"

namespace beam_exporter::beam {

// Consecutive words of an Erlang stack, lowest address first. The stack grows down: that is its top
// side, where the newest frame is.
struct StackWindow {
  os::Address begin = 0;
  std::span<const std::uint64_t> words;
  os::Address end() const { return begin + words.size() * sizeof(std::uint64_t); }
};

// The words that were copied of one process's stack: its top, and of a deep stack its bottom too.
// What lies between them was left out, to keep the work bounded.
struct StackWords {
  StackWindow top;
  StackWindow bottom;  // empty when `top` reaches the bottom
};

// Where the thread was when the stack was taken.
struct StackTop {
  std::optional<os::Address> instruction;  // the running instruction, when it is module code
  std::optional<os::Address> return_to;    // else: where the C code returns to in module code
  os::Address frame_pointer = 0;  // rbp where the VM keeps frame pointers and it is live; else 0
};

struct ErlangFrame {
  os::Address address = 0;  // of the call instruction, or of the running instruction
  Mfa mfa;
};

struct ErlangStack {
  std::vector<ErlangFrame> frames;  // newest first
  // Why the instruction or the return address of the StackTop has no frame; CodeMiss::none: it has
  // one, the first of `frames`. nullopt: the StackTop had neither address.
  std::optional<CodeMiss> top = std::nullopt;
  // Frames are missing between `top` and `bottom`: before this one of `frames`.
  std::optional<std::size_t> gap = std::nullopt;
  bool truncated() const { return gap.has_value(); }
};

}  // namespace beam_exporter::beam
