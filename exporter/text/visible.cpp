#include "text/visible.h"

#include <cstdint>

#include "text/printed.h"
#include "text/utf8.h"

namespace beam_exporter::text {

namespace {

// Control characters, line separators, marks of direction (Unicode Standard Annex 9), and
// characters without width.
bool steers_terminal(std::uint32_t point) {
  const auto within = [&](std::uint32_t low, std::uint32_t high) {
    return low <= point && point <= high;
  };
  return point < 0x20 || within(0x7f, 0x9f) || point == 0x61c || within(0x200b, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2060, 0x206f) || point == 0xfeff;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) {
      shown += printed("\\x%02X", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const auto point = code_point(text.substr(0, length));
    if (!steers_terminal(point))
      shown += text.substr(0, length);
    else
      shown += printed(point < 0x80 ? "\\x%02X" : "\\u{%X}", point);
    text.remove_prefix(length);
  }
  return shown;
}

}  // namespace beam_exporter::text
