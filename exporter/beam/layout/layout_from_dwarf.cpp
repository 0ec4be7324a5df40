#include "beam/layout/layout_from_dwarf.h"

#include <optional>
#include <string>
#include <vector>

#include "beam/layout/field_place.h"
#include "elf/debug_types.h"

namespace beam_exporter::beam {

namespace {

std::vector<elf::TypeQuery> queries_for(const std::vector<StructRows>& structs) {
  std::vector<elf::TypeQuery> queries;
  for (const auto& part : structs) {
    elf::TypeQuery query{std::string(part.head.name), {}};
    for (const Row& member : part.members) query.members.emplace_back(member.name);
    queries.push_back(std::move(query));
  }
  return queries;
}

// Copies DWARF's answers into one struct; the text of the first thing that does not fit, or
// nothing.
std::optional<std::string> fill(const StructRows& part,
                                const std::optional<elf::TypeAnswer>& answer) {
  const std::string type(part.head.name);
  if (!answer) {
    // A struct of optional members only is one that older releases do not have.
    if (!part.required()) return std::nullopt;
    return "the DWARF has no complete struct " + type;
  }
  part.head.width = answer->size;
  for (std::size_t k = 0; k < part.members.size(); ++k) {
    Row& member = part.members[k];
    const auto& place = answer->members[k];
    if (!place) {
      if (member.need == Need::required || place.error().kind != os::ErrorKind::not_found)
        return type + ": " + place.error().text;
      continue;
    }
    if (auto wrong = misplacement(place->offset, place->width, answer->size, member.widest);
        !wrong.empty())
      return (type + ": ").append(member.name).append(" ").append(wrong);
    member.offset = place->offset;
    member.width = place->width;
  }
  return std::nullopt;
}

}  // namespace

os::Result<Layout> layout_from_dwarf(const elf::Image& debug, const Release& release) {
  Layout layout;
  layout.otp_release = release.otp_release;
  layout.erts_version = release.erts_version;
  layout.flavor = release.flavor;
  layout.arch = release.arch;
  layout.build = release.build;
  layout.origin = "dwarf";
  auto rows = rows_of<StructLayouts>(layout);
  const auto structs = structs_in(rows);
  const auto answers = elf::read_types(debug, queries_for(structs));
  if (!answers) return answers.error();
  for (std::size_t k = 0; k < structs.size(); ++k)
    if (const auto problem = fill(structs[k], (*answers)[k]))
      return os::Error{os::ErrorKind::malformed, debug.name() + ": " + *problem};
  set_rows<StructLayouts>(layout, rows);
  if (const auto missing = missing_alternative(layout); !missing.empty())
    return os::Error{os::ErrorKind::malformed, debug.name() + ": " + missing};
  return layout;
}

}  // namespace beam_exporter::beam
