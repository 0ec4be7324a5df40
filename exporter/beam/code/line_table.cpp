#include "beam/code/line_table.h"

#include "beam/layout/remote_struct.h"
#include "beam/terms/term.h"
#include "beam/terms/term_text.h"
#include "text/utf8.h"

namespace beam_exporter::beam {

namespace {

// LOC_FILE, LOC_LINE, LINE_INVALID_LOCATION (0): beam_code.h (OTP 24, 25 and 27).
constexpr unsigned file_shift = 24;
constexpr std::uint32_t line_mask = (1u << file_shift) - 1;
// A torn list may be a cycle.
constexpr std::size_t longest_file_name = 1024;
// No function has more line instructions; a torn pair of pointers must not cost more.
constexpr std::uint64_t most_lines_per_function = 1 << 20;

// A string of the module's literals (a list of code points), as UTF-8.
std::optional<std::string> string(const os::Memory& memory, Eterm list) {
  std::string text;
  for (std::size_t left = longest_file_name; is_list(list); --left) {
    const auto cons = read_list_cell(memory, list);
    const auto character = cons ? small_integer(cons->head) : std::nullopt;
    if (!character || *character < 0 ||
        !text::is_character(static_cast<std::uint64_t>(*character)) || left == 0)
      return std::nullopt;
    text::append_utf8(text, static_cast<std::uint32_t>(*character));
    list = cons->tail;
  }
  return is_nil(list) && !text.empty() ? std::optional(text) : std::nullopt;
}

}  // namespace

std::optional<LineTable> LineTable::open(const Layout& layout, const os::Memory& memory,
                                         Atoms& atoms, const CodeModule& module) {
  const auto& at = layout.line_table;
  const auto place = read_field(memory, module.range.begin, layout.code_header.line_table);
  const auto bytes = place && *place != 0 ? read_struct(memory, *place, at.size) : std::nullopt;
  if (!bytes || module.functions.empty() || !at.functions.present()) return std::nullopt;
  const StructBytes fields(*bytes);
  const auto files = fields.get(at.file_names), locations = fields.get(at.locations);
  const auto width = fields.get(at.location_size);
  if (!files || !locations || !width || (*width != 2 && *width != 4)) return std::nullopt;
  LineTable table(memory, atoms, module.functions.front().module);
  table.files_ = *files;
  table.locations_ = *locations;
  table.width_ = *width;
  table.functions_ = at.functions.at(*place);
  return table;
}

// functions[f] .. functions[f + 1] point to the addresses at which function f's lines begin.
std::optional<LineTable::Lines> LineTable::lines_of(std::size_t function) const {
  struct Bounds {
    os::Address first, last;
  };
  const auto first_of_all = memory_->value<os::Address>(functions_);
  const auto bounds = memory_->value<Bounds>(functions_ + function * 8);
  if (!first_of_all || !bounds || bounds->first < *first_of_all || bounds->last < bounds->first ||
      (bounds->last - bounds->first) / 8 > most_lines_per_function)
    return std::nullopt;
  Lines lines{.first = (bounds->first - *first_of_all) / 8};
  // One more than the function has: the end of its last line.
  lines.begins.resize((bounds->last - bounds->first) / 8 + 1);
  if (!memory_->read(bounds->first, std::as_writable_bytes(std::span(lines.begins))))
    return std::nullopt;
  return lines;
}

std::vector<std::optional<SourceLine>> LineTable::sources(std::uint64_t first, std::size_t count) {
  std::vector<std::optional<SourceLine>> sources(count);
  const auto packed = locations(first, count);
  for (std::size_t k = 0; k < packed.size(); ++k) {
    if (packed[k] == 0) continue;
    if (const auto& name = file_name(packed[k] >> file_shift))
      sources[k] = {*name, packed[k] & line_mask};
  }
  return sources;
}

std::vector<std::uint32_t> LineTable::locations(std::uint64_t first, std::size_t count) const {
  std::vector<std::uint32_t> out(count);
  if (width_ == 4)
    return memory_->read(locations_ + first * 4, std::as_writable_bytes(std::span(out)))
               ? out
               : std::vector<std::uint32_t>();
  std::vector<std::uint16_t> narrow(count);
  if (!memory_->read(locations_ + first * 2, std::as_writable_bytes(std::span(narrow)))) return {};
  out.assign(narrow.begin(), narrow.end());
  return out;
}

// The table has strings, and name 0 is one of them. In OTP 24 it has atoms, from name 1 on
// (erts_build_mfa_item in utils.c).
std::optional<std::string> LineTable::other_file_name(std::uint32_t file) const {
  const auto first = memory_->value<Eterm>(files_);
  const bool atoms = first && atom_index(*first);
  const auto term = memory_->value<Eterm>(files_ + (atoms ? file - 1 : file) * 8ULL);
  if (!term) return std::nullopt;
  return atoms ? atoms_->name(*term) : string(*memory_, *term);
}

const std::optional<std::string>& LineTable::file_name(std::uint32_t file) {
  const auto [found, fresh] = names_.try_emplace(file);
  if (!fresh) return found->second;
  if (file == 0) {
    // Name 0 is the module's name with ".erl" (parse_line_chunk in beam_file.c, OTP 25 and 27).
    // Reading the atom costs less than reading the list.
    if (const auto name = atoms_->name(module_)) found->second = *name + ".erl";
  } else {
    found->second = other_file_name(file);
  }
  return found->second;
}

}  // namespace beam_exporter::beam
