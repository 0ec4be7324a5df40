#include "beam/hidden/ets_limit.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "beam/code/relative_operands.h"

namespace beam_exporter::beam {

namespace {

constexpr std::uint32_t default_limit = 8192;  // DB_DEF_MAX_TABS, erl_db.c
// gcc and clang put the read and the store at most 32 bytes away from the constant.
constexpr std::size_t bytes_before_limit = 32, bytes_behind_limit = 64;

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
    const auto stored = words_moved(around, begin + first, store_word);
    if (stored.empty()) continue;
    for (const auto requested : words_moved(around, begin + first, load_word)) {
      const bool is_it = std::ranges::any_of(
          stored, [&](os::Address made) { return is_limit(memory, requested, made); });
      if (!is_it || found == requested) continue;
      if (found) return std::nullopt;
      found = requested;
    }
  }
}

}  // namespace beam_exporter::beam
