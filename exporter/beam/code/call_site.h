#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "os/address.h"

namespace beam_exporter::beam {

// The bytes before a return address that tell whether a call instruction ends there.
inline constexpr std::size_t call_site_bytes = 7;

// x86-64: true when a call instruction ends with the last of these bytes, which stand right before
// a return address (Intel SDM vol. 2, CALL: E8 rel32, or FF /2 with its ModRM, SIB and displacement
// forms).
bool ends_with_call(const std::array<std::byte, call_site_bytes>& bytes);

// The target of a jump or call with a 32-bit displacement. Its last byte is `bytes.back()`, at
// address `end` - 1. nullopt when the instruction there does not have this `opcode`.
inline constexpr std::uint8_t near_call = 0xe8, near_jump = 0xe9;
inline constexpr std::size_t near_branch_bytes = 5;
std::optional<os::Address> near_target(std::uint8_t opcode, std::span<const std::byte> bytes,
                                       os::Address end);

}  // namespace beam_exporter::beam
