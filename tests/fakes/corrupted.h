#pragma once

#include <array>

#include "fakes/fake_memory.h"

namespace beam_exporter::tests {

// What a word of the struct at `begin` may be wrong by: all bits 0, all bits 1, wrong sizes, and
// pointers to nowhere, to the word itself or beside their old target.
inline std::array<std::uint64_t, 11> bad_values(os::Address begin, os::Address at,
                                                std::uint64_t good) {
  return {std::uint64_t{0},
          ~std::uint64_t{0},
          std::uint64_t{1} << 62,
          std::uint64_t{1} << 31,
          std::uint64_t{0xdead0000},
          ~std::uint64_t{7},
          std::uint64_t{begin},
          std::uint64_t{at},
          good + 8,
          good + 1,
          ~good};
}

// Replaces each aligned word of [begin, begin + bytes), one after the other, by bad values. Runs
// `look` with each value, and with memory that ends inside the struct; then restores the word.
template <class Look>
void with_each_word_corrupted(FakeMemory& memory, os::Address begin, std::uint32_t bytes,
                              Look look) {
  for (os::Address at = begin & ~7ULL; at + 8 <= begin + bytes; at += 8) {
    const auto good = memory.value<std::uint64_t>(at);
    if (!good) continue;
    for (const std::uint64_t bad : bad_values(begin, at, *good)) {
      memory.put(at, bad);
      look();
    }
    memory.forget(at, 8);
    look();
    memory.put(at, *good);
  }
}

}  // namespace beam_exporter::tests
