#include "beam/terms/term_text.h"

#include <algorithm>

#include "beam/layout/remote_struct.h"
#include "beam/terms/bitstring.h"
#include "text/utf8.h"

namespace beam_exporter::beam {

namespace {

constexpr std::size_t longest_text = 100;
constexpr std::size_t most_elements = 8;
constexpr int deepest = 3;

constexpr Eterm tuple_header = 0x00;
// HEAP_BINARY_SUBTAG, erl_term.h (OTP 25): of an ErlHeapBin. The layout says whether the release
// has that struct: in the others this value means another term.
constexpr Eterm heap_binary_header = 0x24;

bool printable(std::uint64_t letter) {
  return letter >= 0x20 && letter != 0x7f && text::is_character(letter);
}

class Writer {
 public:
  Writer(const Layout& layout, const os::Memory& memory, Atoms& atoms)
      : layout_(layout), memory_(memory), atoms_(atoms) {}

  bool write(Eterm term, int depth) {
    if (text.size() > longest_text || depth > deepest) return false;
    if (is_nil(term)) return append("[]");
    if (const auto number = small_integer(term)) return append(std::to_string(*number));
    if (const auto name = atoms_.name(term)) return append(*name);
    if (is_list(term)) return write_list(term, depth);
    if (!is_boxed(term)) return false;
    const auto header = memory_.value<Eterm>(pointer(term));
    if (!header) return false;
    const Eterm kind = *header & header_kind;
    if (kind == tuple_header) return write_tuple(term, *header >> 6, depth);
    const auto& binary = layout_.heap_binary;
    const auto& bits = layout_.heap_bits;
    if (kind == heap_binary_header && binary.bytes.present() && binary.data.present())
      return write_binary(pointer(term), binary.bytes, 1, binary.data);
    if (kind == heap_bits_header && bits.bits.present() && bits.data.present())
      return write_binary(pointer(term), bits.bits, 8, bits.data);
    return false;
  }

  std::string text;

 private:
  bool append(std::string_view more) {
    text += more;
    return text.size() <= longest_text;
  }

  bool write_tuple(Eterm term, std::uint64_t elements, int depth) {
    if (elements > most_elements) return false;
    const auto tuple = read_tuple(memory_, term, elements);
    return tuple && write_all(*tuple, '{', '}', depth);
  }

  bool write_all(const std::vector<Eterm>& terms, char open, char close, int depth) {
    text += open;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (k > 0) text += ',';
      if (!write(terms[k], depth + 1)) return false;
    }
    text += close;
    return text.size() <= longest_text;
  }

  // Writes a string when every element is a character, else a list of a few terms.
  bool write_list(Eterm list, int depth) {
    std::vector<Eterm> terms;
    for (Eterm rest = list; !is_nil(rest);) {
      const auto cell = is_list(rest) ? read_list_cell(memory_, rest) : std::nullopt;
      if (!cell || terms.size() == longest_text) return false;
      terms.push_back(cell->head);
      rest = cell->tail;
    }
    const auto is_letter = [](Eterm term) {
      const auto number = small_integer(term);
      return number && *number > 0 && printable(static_cast<std::uint64_t>(*number));
    };
    if (!std::ranges::all_of(terms, is_letter))
      return terms.size() <= most_elements && write_all(terms, '[', ']', depth);
    for (const Eterm term : terms)
      text::append_utf8(text, static_cast<std::uint32_t>(*small_integer(term)));
    return text.size() <= longest_text;
  }

  // `units` of the size make one byte. A bitstring that is not whole bytes has no text.
  bool write_binary(os::Address at, Field<std::uint64_t> size_field, unsigned units,
                    Field<std::uint64_t> data) {
    const auto size = read_field(memory_, at, size_field);
    if (!size || *size % units != 0 || *size / units > longest_text) return false;
    std::string content(*size / units, '\0');
    if (!memory_.read(data.at(at), std::as_writable_bytes(std::span(content)))) return false;
    const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    return std::ranges::none_of(content, control) && text::is_utf8(content) && append(content);
  }

  const Layout& layout_;
  const os::Memory& memory_;
  Atoms& atoms_;
};

}  // namespace

std::optional<std::vector<Eterm>> read_tuple(const os::Memory& memory, Eterm term,
                                             std::size_t elements) {
  if (!is_boxed(term)) return std::nullopt;
  std::vector<Eterm> words(elements + 1);
  if (!memory.read(pointer(term), std::as_writable_bytes(std::span(words))) ||
      words[0] != (Eterm{elements} << 6))
    return std::nullopt;
  words.erase(words.begin());
  return words;
}

std::optional<ListCell> read_list_cell(const os::Memory& memory, Eterm term) {
  if (!is_list(term)) return std::nullopt;
  return memory.value<ListCell>(pointer(term));
}

std::optional<std::string> term_text(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                     Eterm term) {
  Writer writer(layout, memory, atoms);
  if (!writer.write(term, 0) || writer.text.empty()) return std::nullopt;
  return std::move(writer.text);
}

}  // namespace beam_exporter::beam
