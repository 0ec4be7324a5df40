#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

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

struct ErlangFrame {
  os::Address address = 0;  // of the call, or of the running instruction
  Mfa mfa;
};

struct ErlangStack {
  std::vector<ErlangFrame> frames;  // youngest first
  bool truncated = false;           // frames are missing between young and old, or below
};

}  // namespace beam_exporter::beam
