#include "beam/terms/term_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "beam/terms/term.h"
#include "beam/terms/term_text.h"
#include "text/printed.h"

namespace beam_exporter::beam {

namespace {

constexpr Eterm tuple_tag = 0x00;                                   // erl_term.h (OTP 25 and 27)
constexpr std::uint64_t most_elements_of_a_tuple = (1u << 24) - 1;  // MAX_ARITYVAL

// By the subtag of the header, erl_term.h. The two releases differ in those that are binaries, and
// a map is 0xF in OTP 25, 0xB in OTP 27. ErlHeapBits came with the new numbers.
std::string_view kind_of_header(const Layout& layout, Eterm header) {
  const bool new_numbers = layout.heap_bits.bits.present();
  switch (header >> 2 & 0xf) {
    case 0x2:
    case 0x3:
      return "<integer>";
    case 0x4:
    case 0xe:
      return "<reference>";
    case 0x5:
      return "<fun>";
    case 0x6:
      return "<float>";
    case 0x8:
    case 0x9:
      return "<binary>";
    case 0xa:
      return new_numbers ? "<other>" : "<binary>";
    case 0xb:
      return new_numbers ? "<map>" : "<other>";
    case 0xc:
      return "<pid>";
    case 0xd:
      return "<port>";
    case 0xf:
      return new_numbers ? "<other>" : "<map>";
    default:
      return "<other>";
  }
}

// The kind of a term that is not followed: an element of a tuple.
std::string kind_of_word(Atoms& atoms, Eterm term) {
  if (const auto name = atoms.name(term)) return quoted_atom(*name);
  if (small_integer(term)) return "<integer>";
  if (is_nil(term)) return "[]";
  if (is_list(term)) return "<list>";
  if (is_internal_pid(term)) return "<pid>";
  if ((term & 0xf) == 0x7) return "<port>";  // _TAG_IMMED1_PORT, erl_term.h (OTP 25 and 27)
  return "<other>";
}

}  // namespace

std::string term_kind(const Layout& layout, const os::Memory& memory, Atoms& atoms, Eterm term) {
  if (!is_boxed(term)) return kind_of_word(atoms, term);
  const auto header = memory.value<Eterm>(pointer(term));
  if (!header || (*header & 3) != 0) return "<unreadable>";
  if ((*header & header_kind) != tuple_tag) return std::string(kind_of_header(layout, *header));
  const std::uint64_t elements = *header >> 6;
  if (elements > most_elements_of_a_tuple) return "<unreadable>";
  if (elements == 0) return "{}";
  const auto first = memory.value<Eterm>(pointer(term) + sizeof(Eterm));
  if (!first) return "<unreadable>";
  std::string tag = kind_of_word(atoms, *first);
  if (is_boxed(*first)) {
    const auto inside = memory.value<Eterm>(pointer(*first));
    tag = !inside || (*inside & 3) != 0          ? "<unreadable>"
          : (*inside & header_kind) == tuple_tag ? "<tuple>"
                                                 : std::string(kind_of_header(layout, *inside));
  }
  return "{" + tag + (elements > 1 ? ",..." : "") + "}/" + std::to_string(elements);
}

std::string quoted_atom(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '@';
  };
  // Reserved words of Erlang: erl_scan:reserved_word/1 (OTP 25 and 27).
  static constexpr std::array<std::string_view, 29> reserved = {
      "after", "and",    "andalso", "band", "begin", "bnot", "bor", "bsl",  "bsr",  "bxor",
      "case",  "catch",  "cond",    "div",  "end",   "fun",  "if",  "let",  "not",  "of",
      "or",    "orelse", "receive", "rem",  "try",   "when", "xor", "else", "maybe"};
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
      std::ranges::all_of(name, plain) &&
      std::ranges::find(reserved, std::string_view(name)) == reserved.end())
    return name;
  std::string text = "'";
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      text += text::printed("\\x%02x", static_cast<unsigned>(c));
    else
      text += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return text + "'";
}

}  // namespace beam_exporter::beam
