#include "text/utf8.h"

namespace beam_exporter::text {
namespace {

bool in(unsigned char byte, unsigned char low, unsigned char high) {
  return low <= byte && byte <= high;
}

}  // namespace

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

// The Unicode Standard, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t utf8_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto byte = [&](std::size_t i) -> unsigned char {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  const auto continues = [&](std::size_t i) { return in(byte(i), 0x80, 0xbf); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (in(lead, 0xc2, 0xdf)) return continues(1) ? 2 : 0;
  if (in(lead, 0xe0, 0xef)) {
    const unsigned char low = lead == 0xe0 ? 0xa0 : 0x80;
    const unsigned char high = lead == 0xed ? 0x9f : 0xbf;
    return in(byte(1), low, high) && continues(2) ? 3 : 0;
  }
  if (in(lead, 0xf0, 0xf4)) {
    const unsigned char low = lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xf4 ? 0x8f : 0xbf;
    return in(byte(1), low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

std::uint32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  std::uint32_t point = first & (0x7fU >> character.size());
  for (const char byte : character.substr(1))
    point = point << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  return point;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace beam_exporter::text
