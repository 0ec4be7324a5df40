#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "os/address.h"

namespace beam_exporter::beam {

// MOV of 32 bits between a register and a word relative to rip (Intel SDM vol. 2), by its opcode.
inline constexpr std::byte load_word{0x8b}, store_word{0x89};

// What may be an operand relative to rip at the end of its instruction.
struct RelativeOperand {
  std::size_t at = 0;  // where its ModRM is in the code
  os::Address target = 0;
};

// All of them in `code`, which stands at `begin`, ascending. Every byte is tried as a ModRM.
std::vector<RelativeOperand> relative_operands(std::span<const std::byte> code, os::Address begin);

// The instruction of that operand is LEA of 64 bits: it takes the address.
bool takes_address(std::span<const std::byte> code, const RelativeOperand& operand);

// The words that such instructions of `code`, which stands at `begin`, load or store: one for each
// instruction. Every byte that could begin one is tried.
std::vector<os::Address> words_moved(std::span<const std::byte> code, os::Address begin,
                                     std::byte opcode);

}  // namespace beam_exporter::beam
