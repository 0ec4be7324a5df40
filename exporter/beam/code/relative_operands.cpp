#include "beam/code/relative_operands.h"

#include <cstdint>
#include <cstring>

namespace beam_exporter::beam {

namespace {

// A REX prefix with W, which makes the operation one of 64 bits, stands before the opcode.
bool is_wide(std::span<const std::byte> code, std::size_t opcode) {
  return opcode > 0 && (code[opcode - 1] & std::byte{0xf8}) == std::byte{0x48};
}

}  // namespace

std::vector<RelativeOperand> relative_operands(std::span<const std::byte> code, os::Address begin) {
  constexpr std::size_t bytes = 5;  // ModRM and distance
  std::vector<RelativeOperand> operands;
  for (std::size_t at = 0; at + bytes <= code.size(); ++at) {
    if ((code[at] & std::byte{0xc7}) != std::byte{5}) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, &code[at + 1], sizeof distance);
    operands.push_back(
        {at, begin + at + bytes + static_cast<std::uint64_t>(std::int64_t{distance})});
  }
  return operands;
}

bool takes_address(std::span<const std::byte> code, const RelativeOperand& operand) {
  // Of the bits of the prefix only that of the register has a meaning here.
  return operand.at > 1 && code[operand.at - 1] == std::byte{0x8d} &&
         (code[operand.at - 2] & std::byte{0xfb}) == std::byte{0x48};
}

std::vector<os::Address> words_moved(std::span<const std::byte> code, os::Address begin,
                                     std::byte opcode) {
  std::vector<os::Address> words;
  for (const auto& operand : relative_operands(code, begin))
    if (operand.at > 0 && code[operand.at - 1] == opcode && !is_wide(code, operand.at - 1))
      words.push_back(operand.target);
  return words;
}

}  // namespace beam_exporter::beam
