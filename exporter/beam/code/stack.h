#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "beam/code/code_answer.h"
#include "beam/terms/mfa.h"
#include "os/address.h"

namespace beam_exporter::beam {

// Consecutive words of an Erlang stack, lowest address (youngest) first.
struct StackWindow {
  os::Address begin = 0;
  std::span<const std::uint64_t> words;
  os::Address end() const { return begin + words.size() * sizeof(std::uint64_t); }
};

// What was taken of one process's stack: the young end, and of a deep stack the old end too; what
// lies between them was left out to keep the work bounded.
struct StackWords {
  StackWindow young;
  StackWindow old;  // empty when `young` reaches the bottom
};

// Where the thread was when the stack was taken.
struct StackTop {
  std::optional<os::Address> instruction;  // the running instruction, when it is module code
  std::optional<os::Address>
      return_to;                  // else the address in module code that the C code returns to
  os::Address frame_pointer = 0;  // rbp where the VM keeps frame pointers and it is live; else 0
};

struct ErlangFrame {
  os::Address address = 0;  // of the call, or of the running instruction
  Mfa mfa;
};

struct ErlangStack {
  std::vector<ErlangFrame> frames;  // youngest first
  // What the instruction or return address of the StackTop led to; none: to the first of `frames`.
  // nullopt: the StackTop had neither.
  std::optional<CodeMiss> top = std::nullopt;
  bool truncated = false;  // frames are missing between young and old, or below
};

}  // namespace beam_exporter::beam
