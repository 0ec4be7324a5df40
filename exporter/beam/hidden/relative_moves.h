#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "os/address.h"

namespace beam_exporter::beam {

// MOV of 32 bits between a register and a word relative to rip (Intel SDM vol. 2), by its opcode.
inline constexpr std::byte load_word{0x8b}, store_word{0x89};

// The words that such instructions of `code`, which stands at `begin`, load or store: one for each
// instruction. Every byte that could begin one is tried.
std::vector<os::Address> words_moved(std::span<const std::byte> code, os::Address begin,
                                     std::byte opcode);

}  // namespace beam_exporter::beam
