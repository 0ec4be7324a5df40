#include "beam/code/call_site.h"

#include <cstring>

namespace beam_exporter::beam {

bool ends_with_call(const std::array<std::byte, call_site_bytes>& bytes) {
  // before(n) is the byte n places before the return address.
  const auto before = [&](std::size_t n) {
    return std::to_integer<std::uint8_t>(bytes[call_site_bytes - n]);
  };
  constexpr std::uint8_t group5 = 0xff;
  constexpr std::uint8_t sib = 4, rip_relative = 5;
  const auto is = [](std::uint8_t modrm, std::uint8_t mod) {
    return (modrm & 0xf8) == ((mod << 6) | 0x10);
  };
  const auto rm = [](std::uint8_t modrm) { return modrm & 7; };

  if (before(5) == near_call) return true;
  if (before(2) == group5 && is(before(1), 3)) return true;
  if (before(2) == group5 && is(before(1), 0) && rm(before(1)) != sib &&
      rm(before(1)) != rip_relative)
    return true;
  if (before(3) == group5 && is(before(2), 0) && rm(before(2)) == sib) return true;
  if (before(3) == group5 && is(before(2), 1) && rm(before(2)) != sib) return true;
  if (before(4) == group5 && is(before(3), 1) && rm(before(3)) == sib) return true;
  if (before(6) == group5 && is(before(5), 0) && rm(before(5)) == rip_relative) return true;
  if (before(6) == group5 && is(before(5), 2) && rm(before(5)) != sib) return true;
  if (before(7) != group5 || rm(before(6)) != sib) return false;
  // A SIB without a base register takes 32 bits of displacement.
  return is(before(6), 2) || (is(before(6), 0) && (before(5) & 7) == 5);
}

std::optional<os::Address> near_target(std::uint8_t opcode, std::span<const std::byte> bytes,
                                       os::Address end) {
  if (bytes.size() < near_branch_bytes) return std::nullopt;
  bytes = bytes.last(near_branch_bytes);
  if (std::to_integer<std::uint8_t>(bytes[0]) != opcode) return std::nullopt;
  std::int32_t displacement = 0;
  std::memcpy(&displacement, &bytes[1], sizeof displacement);
  return end + static_cast<std::uint64_t>(std::int64_t{displacement});
}

}  // namespace beam_exporter::beam
