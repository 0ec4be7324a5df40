#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "elf/image.h"
#include "elf/native_symbols.h"

namespace beam_exporter::elf {

// Which function of a file calls or jumps to which other one directly (x86-64 `call rel32`, `jmp
// rel32`): the fingerprint by which a static function of a stripped file is told. Found by looking
// at every byte of .text that could be such an instruction; a pair counts only when it leads
// exactly to the first byte of a function, so that chance hits are rare, though not impossible.
// Immutable.
class DirectCalls {
 public:
  // Empty when the file has no .text that can be read.
  static DirectCalls read(const Image& image, const NativeSymbols& symbols);

  bool calls(std::uint64_t caller, std::uint64_t callee) const;  // first bytes of both
  // First bytes of both, ascending by caller.
  struct Pair {
    std::uint64_t caller = 0, callee = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  std::span<const Pair> pairs() const& { return pairs_; }
  std::span<const Pair> pairs() && = delete;  // they would not outlive it
  std::size_t count() const { return pairs_.size(); }

 private:
  std::vector<Pair> pairs_;  // ascending, each once
};

}  // namespace beam_exporter::elf
