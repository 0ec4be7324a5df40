#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Text as the VM has it, a code point a term, to UTF-8 and back. Values only; any thread.
namespace beam_exporter::beam {

// What a character may be: neither half a surrogate pair nor beyond Unicode.
constexpr bool is_character(std::uint64_t code_point) {
  return code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);
}

// Precondition: is_character.
void append_utf8(std::string& text, std::uint32_t character);

// Well-formed, in the shortest form. Binaries may hold anything.
bool is_utf8(std::string_view bytes);

}  // namespace beam_exporter::beam
