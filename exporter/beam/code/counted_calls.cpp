#include "beam/code/counted_calls.h"

#include <algorithm>
#include <cstring>

#include "beam/code/call_site.h"
#include "beam/code/machine_instruction.h"
#include "beam/code/machine_registers.h"

namespace beam_exporter::beam {

namespace {

using Register = os::UserRegisters;

constexpr unsigned short_jump = 0xeb;
// gcc 16 puts three moves between the two in Debian's OTP 29, or a move and a jump.
constexpr int most_instructions = 8;
// Debian's OTP 29 has 27. More are forged.
constexpr std::size_t most_counted = 4096;

unsigned byte_at(std::span<const std::byte> code, std::size_t place) {
  return std::to_integer<unsigned>(code[place]);
}

struct Count {
  Register::Index base = Register::rbx;
  std::int32_t displacement = 0;
};

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
  Count count{register_by_number[(modrm & 7U) | ((prefix & 1U) << 3U)]};
  if (!is_preserved(count.base)) return std::nullopt;
  std::memcpy(&count.displacement, &code[place], sizeof count.displacement);
  return count;
}

// Where a jump at `place` leads. Wraps when that is before the code.
std::optional<std::size_t> jump_at(std::span<const std::byte> code, std::size_t place) {
  const auto rest = code.subspan(place, std::min(code.size() - place, near_branch_bytes));
  if (rest.size() >= 2 && byte_at(rest, 0) == short_jump)
    return place + 2 +
           static_cast<std::size_t>(std::int64_t{static_cast<std::int8_t>(byte_at(rest, 1))});
  return near_target(near_jump, rest, place + near_branch_bytes);
}

std::optional<Count> count_behind(std::span<const std::byte> code, std::size_t place) {
  for (int k = 0; k < most_instructions && place < code.size(); ++k) {
    if (const auto count = count_at(code.subspan(place))) return count;
    if (const auto target = jump_at(code, place)) {
      place = *target;
      continue;
    }
    const auto instruction = decode(code.subspan(place));
    if (instruction.kind == MachineInstruction::Kind::other) return std::nullopt;
    place += instruction.length;
  }
  return std::nullopt;
}

}  // namespace

std::vector<CountedCall> counted_calls(std::span<const std::byte> code, os::Address begin) {
  std::vector<CountedCall> calls;
  for (std::size_t end = near_branch_bytes; end <= code.size() && calls.size() < most_counted;
       ++end) {
    if (byte_at(code, end - near_branch_bytes) != near_call) continue;  // nearly always
    const auto function = near_target(near_call, code.first(end), begin + end);
    const auto count = count_behind(code, end);
    if (function && count)
      calls.push_back({*function, begin + end, count->base, count->displacement});
  }
  return calls;
}

}  // namespace beam_exporter::beam
