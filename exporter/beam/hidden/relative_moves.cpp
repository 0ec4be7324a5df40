#include "beam/hidden/relative_moves.h"

#include <cstdint>
#include <cstring>

namespace beam_exporter::beam {

std::vector<os::Address> words_moved(std::span<const std::byte> code, os::Address begin,
                                     std::byte opcode) {
  constexpr std::size_t bytes = 6;
  std::vector<os::Address> words;
  for (std::size_t at = 0; at + bytes <= code.size(); ++at) {
    const bool wide = at > 0 && (code[at - 1] & std::byte{0xf8}) == std::byte{0x48};
    if (wide || code[at] != opcode || (code[at + 1] & std::byte{0xc7}) != std::byte{5}) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, &code[at + 2], sizeof distance);
    words.push_back(begin + at + bytes + static_cast<std::uint64_t>(std::int64_t{distance}));
  }
  return words;
}

}  // namespace beam_exporter::beam
