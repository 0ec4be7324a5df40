#include "beam/code/counted_calls.h"

#include <cstring>

#include "beam/code/machine_instruction.h"
#include "beam/code/machine_registers.h"

namespace beam_exporter::beam {

namespace {

using Register = os::UserRegisters;

constexpr std::size_t direct_call_bytes = 5;
constexpr unsigned call_opcode = 0xe8, short_jump = 0xeb, jump = 0xe9;
// gcc 16 puts three moves between the two in Debian's OTP 29, or a move and a jump.
constexpr int most_instructions = 8;
// Debian's OTP 29 has 27. More are forged.
constexpr std::size_t most_counted = 4096;

unsigned byte_at(std::span<const std::byte> code, std::size_t place) {
  return std::to_integer<unsigned>(code[place]);
}

template <class T>
T bytes_as(std::span<const std::byte> code, std::size_t place) {
  T value{};
  std::memcpy(&value, &code[place], sizeof value);
  return value;
}

struct Count {
  Register::Index base = Register::rbx;
  std::int32_t displacement = 0;
};

// By the number in machine code: rbx, rbp, r12 to r15.
bool keeps_its_value(unsigned number) { return number == 3 || number == 5 || number >= 12; }

// ADD of 1, or INC, of a word of 64 bits at a register and a displacement of 32 bits (Intel SDM
// vol. 2).
std::optional<Count> count_at(std::span<const std::byte> code) {
  constexpr std::size_t longest = 9;
  if (code.size() < longest) return std::nullopt;
  const unsigned prefix = byte_at(code, 0), opcode = byte_at(code, 1), modrm = byte_at(code, 2);
  const bool adds = opcode == 0x83, increments = opcode == 0xff;
  if ((prefix & 0xfeU) != 0x48 || (!adds && !increments) || (modrm & 0xf8U) != 0x80)
    return std::nullopt;
  // r12 as base needs a SIB of its own.
  const bool has_sib = (modrm & 7U) == 4;
  if (has_sib && byte_at(code, 3) != 0x24) return std::nullopt;
  const std::size_t place = has_sib ? 4 : 3;
  if (adds && byte_at(code, place + sizeof(std::int32_t)) != 1) return std::nullopt;
  const unsigned number = (modrm & 7U) | ((prefix & 1U) << 3U);
  if (!keeps_its_value(number)) return std::nullopt;
  return Count{register_by_number[number], bytes_as<std::int32_t>(code, place)};
}

std::optional<Count> count_behind(std::span<const std::byte> code, std::size_t place) {
  for (int k = 0; k < most_instructions && place < code.size(); ++k) {
    const auto rest = code.subspan(place);
    if (const auto count = count_at(rest)) return count;
    const unsigned opcode = byte_at(rest, 0);
    const bool is_short = opcode == short_jump && rest.size() >= 2;
    if (is_short || (opcode == jump && rest.size() >= direct_call_bytes)) {
      const std::int64_t distance =
          is_short ? 2 + std::int64_t{bytes_as<std::int8_t>(rest, 1)}
                   : std::int64_t{direct_call_bytes} + bytes_as<std::int32_t>(rest, 1);
      // Wraps when it leads out of the code, and ends the loop.
      place += static_cast<std::size_t>(distance);
      continue;
    }
    const auto instruction = decode(rest);
    if (instruction.kind == MachineInstruction::Kind::other) return std::nullopt;
    place += instruction.length;
  }
  return std::nullopt;
}

}  // namespace

std::vector<CountedCall> counted_calls(std::span<const std::byte> code, os::Address begin) {
  std::vector<CountedCall> calls;
  for (std::size_t k = 0; k + direct_call_bytes <= code.size() && calls.size() < most_counted;
       ++k) {
    if (byte_at(code, k) != call_opcode) continue;
    const auto count = count_behind(code, k + direct_call_bytes);
    if (!count) continue;
    const os::Address return_to = begin + k + direct_call_bytes;
    const auto distance = std::int64_t{bytes_as<std::int32_t>(code, k + 1)};
    calls.push_back({return_to + static_cast<std::uint64_t>(distance), return_to, count->base,
                     count->displacement});
  }
  return calls;
}

}  // namespace beam_exporter::beam
