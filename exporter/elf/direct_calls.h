#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "elf/image.h"
#include "elf/native_symbols.h"

namespace beam_exporter::elf {

// Which function of a file calls or jumps to which other function directly (x86-64 `call rel32`,
// `jmp rel32`). These calls identify static functions of a stripped file. Every byte of .text that
// could begin such an instruction is tried; it counts only if it leads exactly to the first byte of
// a function, so that chance hits are rare, but possible. Immutable.
class DirectCalls {
 public:
  // Empty when the file has no .text that can be read.
  static DirectCalls read(const Image& image, const NativeSymbols& symbols);

  bool calls(std::uint64_t caller, std::uint64_t callee) const;  // the first byte of each
  std::set<std::uint64_t> called_by(std::uint64_t caller) const;
  std::set<std::uint64_t> callers_of(std::uint64_t callee) const;
  // The first byte of each function.
  struct Pair {
    std::uint64_t caller = 0, callee = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  std::span<const Pair> pairs() const& { return pairs_; }
  std::span<const Pair> pairs() && = delete;  // the span would outlive the pairs
  std::size_t count() const { return pairs_.size(); }

 private:
  std::vector<Pair> pairs_;  // ascending by caller, each pair once
};

}  // namespace beam_exporter::elf
