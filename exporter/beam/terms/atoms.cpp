#include "beam/terms/atoms.h"

#include <vector>

#include "beam/layout/remote_struct.h"
#include "beam/terms/bitstring.h"
#include "beam/terms/term.h"
#include "text/utf8.h"

namespace beam_exporter::beam {

namespace {

// erts/emulator/beam/index.h: INDEX_PAGE_SHIFT 10 (OTP 23, 25, 26, 27 and 29).
constexpr unsigned index_page_shift = 10;
constexpr std::uint32_t index_page_mask = (1u << index_page_shift) - 1;
// MAX_ATOM_CHARACTERS (atom.h, OTP 23, 25, 26, 27 and 29) is 255, and each has at most four bytes
// of UTF-8.
constexpr std::uint16_t longest_name_bytes = 255 * 4;

}  // namespace

std::optional<std::string> Atoms::name(Eterm term) {
  const auto index = atom_index(term);
  if (!index) return std::nullopt;
  if (const auto known = names_.find(*index); known != names_.end()) return known->second;
  auto text = read(*index);
  if (text) names_.emplace(*index, *text);
  return text;
}

std::optional<std::uint32_t> Atoms::count() const {
  return read_field(*memory_, table_, layout_->index_table.entries);
}

std::optional<std::string> Atoms::read(std::uint32_t index) const {
  const auto entries = count();
  if (!entries || index >= *entries) return std::nullopt;
  const auto segments = read_field(*memory_, table_, layout_->index_table.seg_table);
  if (!segments) return std::nullopt;
  const auto page = memory_->value<os::Address>(*segments + (index >> index_page_shift) * 8ULL);
  if (!page) return std::nullopt;
  const auto slot = memory_->value<os::Address>(*page + (index & index_page_mask) * 8ULL);
  if (!slot) return std::nullopt;
  const auto atom = read_struct(*memory_, *slot, layout_->atom.size);
  if (!atom) return std::nullopt;
  const StructBytes bytes(*atom);
  const auto own_index = bytes.get(layout_->atom.index);
  const auto length = bytes.get(layout_->atom.length);
  const auto place = text_of(bytes);
  // An Atom holds the index of its slot; behind a stale or wrong pointer it does not match.
  if (!own_index || *own_index != index || !length || *length > longest_name_bytes || !place)
    return std::nullopt;
  std::string name(*length, '\0');
  if (!memory_->read(*place, std::as_writable_bytes(std::span(name))) || !text::is_utf8(name))
    return std::nullopt;
  return name;
}

std::optional<os::Address> Atoms::text_of(const StructBytes& atom) const {
  if (layout_->atom.text.present()) return atom.get(layout_->atom.text);
  const auto term = atom.get(layout_->atom.binary);
  return term ? bytes_of_bitstring(*layout_, *memory_, *term) : std::nullopt;
}

}  // namespace beam_exporter::beam
