#include "elf/call_before.h"

#include <array>
#include <cstring>
#include <span>

namespace beam_exporter::elf {

namespace {

constexpr std::size_t longest_call = 8;
constexpr std::uint8_t direct_call = 0xe8;

using Code = std::span<const std::uint8_t>;

std::uint64_t signed32(Code at) {
  std::int32_t value = 0;
  std::memcpy(&value, at.data(), sizeof value);
  return static_cast<std::uint64_t>(std::int64_t{value});
}

// How many bytes `call r/m64` (FF /2, with or without REX) has that begins here; 0: it is none.
std::size_t indirect_call_bytes(Code code) {
  const std::size_t rex = !code.empty() && (code[0] & 0xf0) == 0x40 ? 1 : 0;
  if (code.size() < rex + 2 || code[rex] != 0xff || (code[rex + 1] >> 3 & 7) != 2) return 0;
  const unsigned mode = code[rex + 1] >> 6, base = code[rex + 1] & 7;
  std::size_t bytes = rex + 2;
  if (mode == 3) return bytes;
  const bool scaled = base == 4;
  if (scaled && code.size() <= bytes) return 0;
  const bool no_base = scaled ? (code[bytes] & 7) == 5 : base == 5;
  bytes += scaled ? 1 : 0;
  return bytes + (mode == 1 ? 1 : mode == 2 || no_base ? 4 : 0);
}

}  // namespace

os::Address behind_plt(const os::Memory& memory, os::Address target) {
  std::array<std::uint8_t, 11> code{};
  if (!memory.read(target, std::as_writable_bytes(std::span(code)))) return target;
  constexpr std::array<std::uint8_t, 4> endbr64 = {0xf3, 0x0f, 0x1e, 0xfa};
  std::size_t at = std::memcmp(code.data(), endbr64.data(), endbr64.size()) == 0 ? 4 : 0;
  at += code[at] == 0xf2 ? 1 : 0;
  if (at + 6 > code.size() || code[at] != 0xff || code[at + 1] != 0x25) return target;
  const os::Address slot = target + at + 6 + signed32(Code(code).subspan(at + 2));
  return memory.value<os::Address>(slot).value_or(target);
}

CallBefore call_before(const os::Memory& memory, os::Address return_address) {
  using Kind = CallBefore::Kind;
  std::array<std::uint8_t, longest_call> code{};
  if (return_address < code.size() ||
      !memory.read(return_address - code.size(), std::as_writable_bytes(std::span(code))))
    return {};
  const Code bytes(code);
  const auto direct = bytes.last(5), by_slot = bytes.last(6);
  if (direct[0] == direct_call)
    return {Kind::to, behind_plt(memory, return_address + signed32(direct.subspan(1)))};
  if (by_slot[0] == 0xff && by_slot[1] == 0x15)
    return {Kind::by_slot,
            memory.value<os::Address>(return_address + signed32(by_slot.subspan(2))).value_or(0)};
  for (std::size_t length = 2; length <= bytes.size(); ++length)
    if (indirect_call_bytes(bytes.last(length)) == length) return {Kind::by_pointer, 0};
  return {};
}

}  // namespace beam_exporter::elf
