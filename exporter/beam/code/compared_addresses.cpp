#include "beam/code/compared_addresses.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "beam/code/relative_operands.h"

namespace beam_exporter::beam {

namespace {

constexpr std::size_t operand_bytes = 4;
// gcc 16.2 puts at most 12 bytes between the two in Debian's OTP 29.
constexpr std::size_t searched_behind = 24;

unsigned at(std::span<const std::byte> code, std::size_t place) {
  return std::to_integer<unsigned>(code[place]);
}

std::uint32_t operand(std::span<const std::byte> code, std::size_t place) {
  std::uint32_t value = 0;
  std::memcpy(&value, &code[place], sizeof value);
  return value;
}

bool is_wide(unsigned prefix) { return (prefix & 0xf8U) == 0x48; }  // REX.W

// CMP of 64 bits with this register on either side.
bool is_compared(std::span<const std::byte> code, unsigned number) {
  for (std::size_t k = 0; k + 3 <= code.size(); ++k) {
    const unsigned prefix = at(code, k), opcode = at(code, k + 1), modrm = at(code, k + 2);
    if (!is_wide(prefix) || (opcode != 0x39 && opcode != 0x3b)) continue;
    const unsigned reg = ((modrm >> 3) & 7U) | ((prefix & 4U) << 1U);
    const unsigned rm = (modrm & 7U) | ((prefix & 1U) << 3U);
    if (reg == number || (modrm >> 6 == 3 && rm == number)) return true;
  }
  return false;
}

// The constant at `place` belongs to CMP of 64 bits: with rax, or by ModRM with a register, or with
// a word in memory at a displacement of 8 or 32 bits.
bool is_constant_of_comparison(std::span<const std::byte> code, std::size_t place) {
  if (place >= 2 && at(code, place - 2) == 0x48 && at(code, place - 1) == 0x3d) return true;
  for (const auto& [mod, displacement] : {std::pair{3U, 0U}, {1U, 1U}, {2U, 4U}}) {
    if (place < 3 + displacement) continue;
    const std::size_t begin = place - displacement - 3;
    const unsigned modrm = at(code, begin + 2);
    if (is_wide(at(code, begin)) && at(code, begin + 1) == 0x81 && modrm >> 6 == mod &&
        ((modrm >> 3) & 7U) == 7)
      return true;
  }
  return false;
}

}  // namespace

std::vector<os::Address> compared_addresses(std::span<const std::byte> code, os::Address begin,
                                            std::span<const os::Address> functions) {
  std::vector<os::Address> compared;
  const auto wanted = [&](os::Address address) {
    return std::ranges::find(functions, address) != functions.end() &&
           std::ranges::find(compared, address) == compared.end();
  };
  for (std::size_t k = 0; k + operand_bytes <= code.size(); ++k)
    if (const os::Address constant = operand(code, k);
        wanted(constant) && is_constant_of_comparison(code, k))
      compared.push_back(constant);
  for (const auto& taken : relative_operands(code, begin)) {
    if (!wanted(taken.target) || !takes_address(code, taken)) continue;
    const auto behind = code.subspan(taken.at + 1 + operand_bytes);
    const unsigned number =
        ((at(code, taken.at) >> 3) & 7U) | ((at(code, taken.at - 2) & 4U) << 1U);
    if (is_compared(behind.first(std::min(behind.size(), searched_behind)), number))
      compared.push_back(taken.target);
  }
  return compared;
}

}  // namespace beam_exporter::beam
