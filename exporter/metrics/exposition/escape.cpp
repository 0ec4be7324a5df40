#include "metrics/exposition/escape.h"

#include <cstddef>

namespace beam_exporter::metrics {
namespace {

bool in(unsigned char byte, unsigned char low, unsigned char high) {
  return low <= byte && byte <= high;
}

// The length of the well-formed sequence at the start of `text`, or 0. The Unicode Standard,
// table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t well_formed(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned char {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&](std::size_t i) { return in(byte(i), 0x80, 0xbf); };
  const unsigned char lead = byte(0);
  if (in(lead, 0x01, 0x7f)) return 1;
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

void append_escaped(std::string_view text, Quotes quotes, std::string& out) {
  while (!text.empty()) {
    const auto length = well_formed(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    const char first = text.front();
    if (first == '\n') {
      out += "\\n";
    } else if (first == '\\') {
      out += "\\\\";
    } else if (first == '"' && quotes == Quotes::escaped) {
      out += "\\\"";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
}

}  // namespace

void append_label_value(std::string_view value, std::string& out) {
  append_escaped(value, Quotes::escaped, out);
}

void append_help(std::string_view help, Quotes quotes, std::string& out) {
  append_escaped(help, quotes, out);
}

}  // namespace beam_exporter::metrics
