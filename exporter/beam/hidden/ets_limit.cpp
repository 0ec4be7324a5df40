#include "beam/hidden/ets_limit.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace beam_exporter::beam {

namespace {

constexpr std::uint32_t default_limit = 8192;  // DB_DEF_MAX_TABS, erl_db.c
// gcc and clang put the read and the store at most 32 bytes away from the constant.
constexpr std::size_t bytes_before_limit = 32, bytes_behind_limit = 64;
constexpr std::size_t move_bytes = 6;

// MOV of 32 bits between a register and a word relative to rip (Intel SDM vol. 2).
constexpr std::byte load{0x8b}, store{0x89};

// Where those of this kind in `code` lead.
std::vector<os::Address> places(std::span<const std::byte> code, os::Address begin,
                                std::byte opcode) {
  std::vector<os::Address> found;
  for (std::size_t at = 0; at + move_bytes <= code.size(); ++at) {
    const bool wide = at > 0 && (code[at - 1] & std::byte{0xf8}) == std::byte{0x48};
    if (wide || code[at] != opcode || (code[at + 1] & std::byte{0xc7}) != std::byte{5}) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, &code[at + 2], sizeof distance);
    found.push_back(begin + at + move_bytes + static_cast<std::uint64_t>(std::int64_t{distance}));
  }
  return found;
}

bool is_limit(const os::Memory& memory, os::Address requested, os::Address made) {
  const auto from = memory.value<std::int32_t>(requested);
  const auto to = memory.value<std::uint32_t>(made);
  return requested != made && from && to && *from >= 0 &&
         *to == std::max(static_cast<std::uint32_t>(*from), default_limit);
}

}  // namespace

std::optional<os::Address> find_requested_ets_limit(std::span<const std::byte> code,
                                                    os::Address begin, const os::Memory& memory) {
  std::optional<os::Address> found;
  std::array<std::byte, sizeof default_limit> constant{};
  std::memcpy(constant.data(), &default_limit, constant.size());
  auto from = code.begin();
  for (;; ++from) {
    from = std::search(from, code.end(), constant.begin(), constant.end());
    if (from == code.end()) return found;
    const auto at = static_cast<std::size_t>(from - code.begin());
    const std::size_t first = at < bytes_before_limit ? 0 : at - bytes_before_limit;
    const auto around = code.subspan(first, std::min(code.size(), at + bytes_behind_limit) - first);
    const auto stored = places(around, begin + first, store);
    if (stored.empty()) continue;
    for (const auto requested : places(around, begin + first, load)) {
      const bool is_it = std::ranges::any_of(
          stored, [&](os::Address made) { return is_limit(memory, requested, made); });
      if (!is_it || found == requested) continue;
      if (found) return std::nullopt;
      found = requested;
    }
  }
}

}  // namespace beam_exporter::beam
