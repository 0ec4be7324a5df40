#include "beam/layout/layout_file.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "beam/layout/field_place.h"
#include "yaml/document.h"

namespace beam_exporter::beam {

namespace {

// The largest struct we know is ErtsAlignedSchedulerData with 41,920 bytes; buffers are sized by
// these numbers.
constexpr yaml::WholeRange struct_bytes{1, 1 << 20};
constexpr yaml::WholeRange place_bytes{0, 1 << 20};

template <class Part>
bool wants_a_member(Part& part) {
  bool any = false;
  bool required = false;
  part.fields(part, [&](std::string_view, auto&, Need need) {
    any = true;
    required = required || need == Need::required;
  });
  return required || !any;
}

template <class Part>
void read_struct(const yaml::Mapping& structs, Part& part) {
  if (!structs.has(part.name) && !wants_a_member(part)) return;
  std::uint32_t size = 0;
  const yaml::Mapping mapping = structs.mapping(part.name);
  const bool sized = mapping.require("size", size, struct_bytes);
  part.size = size;
  part.fields(part, [&]<class T>(std::string_view member, Field<T>& field, Need need) {
    std::array<std::uint32_t, 2> place{};
    const bool read = need == Need::required ? mapping.require(member, place, place_bytes)
                                             : mapping.read(member, place, place_bytes);
    if (!read || !sized) return;
    if (auto wrong = misplacement(place[0], place[1], size, sizeof(T)); !wrong.empty())
      mapping.reject(member, wrong);
    field = {place[0], place[1]};
  });
}

// YAML 1.1 tools read these as booleans, and ErtsSchedulerData has a member "no", ranges one "n".
std::string key(std::string_view member) {
  const bool boolean = member == "no" || member == "n" || member == "y" || member == "on";
  return boolean ? '"' + std::string(member) + '"' : std::string(member);
}

}  // namespace

std::string write_layout(const Layout& layout) {
  std::string text =
      "# Written by \"beam_exporter layout\"; sizes, and [offset, width] of members, in bytes.\n";
  text += "otp_release: \"" + layout.otp_release + "\"\n";
  text += "erts_version: \"" + layout.erts_version + "\"\n";
  text += "flavor: " + layout.flavor + "\n";
  text += "arch: " + layout.arch + "\n";
  text += "structs:\n";
  Layout::structs(layout, [&](const auto& part) {
    if (part.size == 0) return;  // a struct that this release does not have
    text += "  " + std::string(part.name) + ":\n";
    text += "    size: " + std::to_string(part.size) + "\n";
    part.fields(part, [&](std::string_view member, const auto& field, Need) {
      if (!field.present()) return;
      text += "    " + key(member) + ": [" + std::to_string(field.offset) + ", " +
              std::to_string(field.width) + "]\n";
    });
  });
  return text;
}

os::Result<Layout> read_layout(const std::string& text, const std::string& name) {
  const auto document = yaml::Document::parse(text, name);
  if (!document) return document.error();
  Layout layout;
  layout.origin = name;
  const yaml::Mapping root = document->root();
  root.require("otp_release", layout.otp_release);
  root.require("erts_version", layout.erts_version);
  if (root.require("flavor", layout.flavor) && layout.flavor != "jit" && layout.flavor != "emu")
    root.reject("flavor", "neither jit nor emu");
  root.require("arch", layout.arch);
  const yaml::Mapping structs = root.mapping("structs");
  Layout::structs(layout, [&](auto& part) { read_struct(structs, part); });
  if (const auto done = document->finish(); !done) return done.error();
  return layout;
}

}  // namespace beam_exporter::beam
