#include "beam/terms/utf8.h"

namespace beam_exporter::beam {

void append_utf8(std::string& text, std::uint32_t character) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto add_rest = [&](unsigned shift) { add(0x80 | ((character >> shift) & 0x3f)); };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xc0 | (character >> 6));
    add_rest(0);
  } else if (character < 0x10000) {
    add(0xe0 | (character >> 12));
    add_rest(6);
    add_rest(0);
  } else {
    add(0xf0 | (character >> 18));
    add_rest(12);
    add_rest(6);
    add_rest(0);
  }
}

bool is_utf8(std::string_view bytes) {
  constexpr std::uint32_t least_of_length[] = {0, 0, 0x80, 0x800, 0x10000};
  while (!bytes.empty()) {
    const auto lead = static_cast<unsigned char>(bytes[0]);
    const std::size_t length = lead < 0x80             ? 1
                               : (lead & 0xe0) == 0xc0 ? 2
                               : (lead & 0xf0) == 0xe0 ? 3
                               : (lead & 0xf8) == 0xf0 ? 4
                                                       : 0;
    if (length == 0 || length > bytes.size()) return false;
    std::uint32_t character = length == 1 ? lead : lead & (0x7fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(bytes[k]);
      if ((next & 0xc0) != 0x80) return false;
      character = (character << 6) | (next & 0x3f);
    }
    if (character < least_of_length[length] || !is_character(character)) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace beam_exporter::beam
