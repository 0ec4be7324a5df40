#include "beam/layout/layout_from_dwarf.h"

#include <optional>
#include <string>
#include <vector>

#include "beam/layout/field_place.h"
#include "elf/debug_types.h"

namespace beam_exporter::beam {

namespace {

std::vector<elf::TypeQuery> queries_for(Layout& layout) {
  std::vector<elf::TypeQuery> queries;
  Layout::structs(layout, [&](auto& part) {
    elf::TypeQuery query{std::string(part.name), {}};
    part.fields(part,
                [&](std::string_view member, auto&, Need) { query.members.emplace_back(member); });
    queries.push_back(std::move(query));
  });
  return queries;
}

// Copies DWARF's answers into one struct; the text of the first thing that does not fit, or
// nothing.
template <class Part>
std::optional<std::string> fill(Part& part, const std::optional<elf::TypeAnswer>& answer) {
  const std::string type(part.name);
  bool required = false;
  bool any = false;
  part.fields(part, [&](std::string_view, auto&, Need need) {
    any = true;
    required = required || need == Need::required;
  });
  if (!answer) {
    // A struct of optional members only is one that older releases do not have.
    if (any && !required) return std::nullopt;
    return "the DWARF has no complete struct " + type;
  }
  part.size = answer->size;
  std::optional<std::string> problem;
  std::size_t index = 0;
  part.fields(part, [&]<class T>(std::string_view member, Field<T>& field, Need need) {
    const auto& place = answer->members[index++];
    if (problem) return;
    if (!place) {
      if (need == Need::required || place.error().kind != os::ErrorKind::not_found)
        problem = type + ": " + place.error().text;
    } else if (auto wrong = misplacement(place->offset, place->width, part.size, sizeof(T));
               !wrong.empty()) {
      problem = type + ": " + std::string(member) + " " + wrong;
    } else {
      field = {place->offset, place->width};
    }
  });
  return problem;
}

}  // namespace

os::Result<Layout> layout_from_dwarf(const elf::Image& debug, const Release& release) {
  Layout layout;
  layout.otp_release = release.otp_release;
  layout.erts_version = release.erts_version;
  layout.flavor = release.flavor;
  layout.arch = release.arch;
  layout.origin = "dwarf";
  auto answers = elf::read_types(debug, queries_for(layout));
  if (!answers) return answers.error();
  std::optional<std::string> problem;
  std::size_t index = 0;
  Layout::structs(layout, [&](auto& part) {
    auto found = fill(part, (*answers)[index++]);
    if (!problem) problem = std::move(found);
  });
  if (problem) return os::Error{os::ErrorKind::malformed, debug.name() + ": " + *problem};
  return layout;
}

}  // namespace beam_exporter::beam
