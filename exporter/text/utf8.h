#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Checks whether foreign text is UTF-8, and writes code points as UTF-8. Any thread.
namespace beam_exporter::text {

// True for a valid code point: not half of a surrogate pair, and not beyond Unicode.
constexpr bool is_character(std::uint64_t code_point) {
  return code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);
}

// Precondition: is_character.
void append_utf8(std::string& text, std::uint32_t character);

// The length of the well-formed character (in its shortest form) at the start of `bytes`; 0: there
// is none.
std::size_t utf8_length(std::string_view bytes);

// Precondition: utf8_length(character) == character.size().
std::uint32_t code_point(std::string_view character);

// Whether all of `bytes` is well-formed.
bool is_utf8(std::string_view bytes);

}  // namespace beam_exporter::text
