#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Text that comes from elsewhere: is it UTF-8, and code points as UTF-8. Values only; any thread.
namespace beam_exporter::text {

// What a character may be: neither half a surrogate pair nor beyond Unicode.
constexpr bool is_character(std::uint64_t code_point) {
  return code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);
}

// Precondition: is_character.
void append_utf8(std::string& text, std::uint32_t character);

// Bytes of the well-formed character that `bytes` begins with, in the shortest form; 0: there is
// none.
std::size_t utf8_length(std::string_view bytes);

// All of it is well-formed. Binaries may hold anything.
bool is_utf8(std::string_view bytes);

}  // namespace beam_exporter::text
