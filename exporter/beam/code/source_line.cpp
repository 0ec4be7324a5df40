#include "beam/code/source_line.h"

#include <algorithm>
#include <vector>

#include "beam/layout/remote_struct.h"
#include "beam/terms/term.h"
#include "text/utf8.h"

namespace beam_exporter::beam {

namespace {

// beam_code.h: LOC_FILE, LOC_LINE, LINE_INVALID_LOCATION (0).
constexpr unsigned file_shift = 24;
constexpr std::uint32_t line_mask = (1u << file_shift) - 1;
// A torn list may lead in circles.
constexpr std::size_t longest_file_name = 1024;
constexpr Eterm nil = 0x3b;
// One function has at most this many line instructions; a torn pointer pair must not cost more.
constexpr std::uint64_t most_lines_per_function = 1 << 20;

std::optional<std::uint32_t> location(const os::Memory& memory, os::Address table,
                                      std::uint32_t width, std::uint64_t index) {
  if (width == 2) {
    const auto packed = memory.value<std::uint16_t>(table + index * 2);
    return packed ? std::optional<std::uint32_t>(*packed) : std::nullopt;
  }
  return width == 4 ? memory.value<std::uint32_t>(table + index * 4) : std::nullopt;
}

// A list of code points among the module's literals, as UTF-8.
std::optional<std::string> string(const os::Memory& memory, Eterm list) {
  std::string text;
  for (std::size_t left = longest_file_name; is_list(list); --left) {
    struct Cons {
      Eterm head, tail;
    };
    const auto cons = memory.value<Cons>(pointer(list));
    const auto character = cons ? small_integer(cons->head) : std::nullopt;
    if (!character || *character < 0 ||
        !text::is_character(static_cast<std::uint64_t>(*character)) || left == 0)
      return std::nullopt;
    text::append_utf8(text, static_cast<std::uint32_t>(*character));
    list = cons->tail;
  }
  return list == nil && !text.empty() ? std::optional(text) : std::nullopt;
}

}  // namespace

std::optional<SourceLine> source_line(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                      const CodeModule& module, os::Address address) {
  const Mfa* mfa = module.function_at(address);
  const auto table = read_field(memory, module.range.begin, layout.code_header.line_table);
  if (mfa == nullptr || !table || *table == 0) return std::nullopt;
  const auto bytes = read_struct(memory, *table, layout.line_table.size);
  if (!bytes) return std::nullopt;
  const StructBytes fields(*bytes);
  const auto files = fields.get(layout.line_table.file_names);
  const auto width = fields.get(layout.line_table.location_size);
  const auto locations = fields.get(layout.line_table.locations);
  if (!files || !width || !locations || !layout.line_table.functions.present()) return std::nullopt;

  // functions[f] .. functions[f + 1] point to the addresses at which function f's lines begin.
  const os::Address function_table = layout.line_table.functions.at(*table);
  const auto function = static_cast<std::uint64_t>(mfa - module.functions.data());
  const auto first_of_all = memory.value<os::Address>(function_table);
  const auto first = memory.value<os::Address>(function_table + function * 8);
  const auto last = memory.value<os::Address>(function_table + (function + 1) * 8);
  if (!first_of_all || !first || !last || *first < *first_of_all || *last < *first ||
      (*last - *first) / 8 > most_lines_per_function)
    return std::nullopt;
  // One more than belongs to the function: where its last line ends.
  std::vector<os::Address> begins((*last - *first) / 8 + 1);
  if (!memory.read(*first, std::as_writable_bytes(std::span(begins)))) return std::nullopt;
  const auto after = std::upper_bound(begins.begin(), begins.end(), address);
  if (after == begins.begin() || after == begins.end()) return std::nullopt;

  const auto index =
      (*first - *first_of_all) / 8 + static_cast<std::uint64_t>(after - begins.begin()) - 1;
  const auto packed = location(memory, *locations, *width, index);
  if (!packed || *packed == 0) return std::nullopt;
  const std::uint32_t file = *packed >> file_shift, line = *packed & line_mask;
  if (file == 0) {
    // The implicit first name is the module's with ".erl" (parse_line_chunk in beam_file.c):
    // cheaper than its list.
    const auto name = atoms.name(mfa->module);
    return name ? std::optional(SourceLine{*name + ".erl", line}) : std::nullopt;
  }
  const auto term = memory.value<Eterm>(*files + file * 8ULL);
  auto name = term ? string(memory, *term) : std::nullopt;
  return name ? std::optional(SourceLine{std::move(*name), line}) : std::nullopt;
}

}  // namespace beam_exporter::beam
