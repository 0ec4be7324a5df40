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

// Release::build.
constexpr std::array<std::string_view, 5> builds{"opt", "lcnt", "debug", "hipe", "disable-jit"};

void read_members(const yaml::Mapping& structs, const StructRows& part) {
  if (!structs.has(part.head.name) && !part.required()) return;
  const yaml::Mapping mapping = structs.mapping(part.head.name);
  const bool sized = mapping.require("size", part.head.width, struct_bytes);
  for (Row& member : part.members) {
    std::array<std::uint32_t, 2> place{};
    const bool read = member.need == Need::required
                          ? mapping.require(member.name, place, place_bytes)
                          : mapping.read(member.name, place, place_bytes);
    if (!read || !sized) continue;
    if (auto wrong = misplacement(place[0], place[1], part.head.width, member.widest);
        !wrong.empty())
      mapping.reject(member.name, wrong);
    member.offset = place[0];
    member.width = place[1];
  }
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
  if (layout.build != "opt") text += "build: " + layout.build + "\n";
  text += "structs:\n";
  auto rows = rows_of<StructLayouts>(layout);
  for (const StructRows& part : structs_in(rows)) {
    if (part.head.width == 0) continue;  // a struct that this release does not have
    text += "  " + std::string(part.head.name) + ":\n";
    text += "    size: " + std::to_string(part.head.width) + "\n";
    for (const Row& member : part.members)
      if (member.present())
        text += "    " + key(member.name) + ": [" + std::to_string(member.offset) + ", " +
                std::to_string(member.width) + "]\n";
  }
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
  if (root.read("build", layout.build) && std::ranges::find(builds, layout.build) == builds.end())
    root.reject("build", "neither opt nor lcnt nor debug nor hipe nor disable-jit");
  const yaml::Mapping structs = root.mapping("structs");
  auto rows = rows_of<StructLayouts>(layout);
  for (const StructRows& part : structs_in(rows)) read_members(structs, part);
  set_rows<StructLayouts>(layout, rows);
  if (const auto done = document->finish(); !done) return done.error();
  if (const auto missing = missing_alternative(layout); !missing.empty())
    return os::Error{os::ErrorKind::malformed, name + ": " + missing};
  return layout;
}

}  // namespace beam_exporter::beam
