#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "elf/image.h"
#include "os/result.h"

namespace beam_exporter::elf {

// Asks DWARF for a struct, union or typedef by name, and for members of it by dotted path
// ("common.u.alive.reg"). The path leaves out anonymous structs and unions.
struct TypeQuery {
  std::string name;
  std::vector<std::string> members;
};

// In bytes; the offset is from the start of the queried type. The width of an array is that of one
// element.
struct MemberPlace {
  std::uint32_t offset = 0;
  std::uint32_t width = 0;
  friend bool operator==(const MemberPlace&, const MemberPlace&) = default;
};

struct TypeAnswer {
  std::uint32_t size = 0;
  // In the order of TypeQuery::members; not_found, or unsupported for a bit-field.
  std::vector<os::Result<MemberPlace>> members;
};

// The answers, in the order of `queries`; nullopt where no complete type has that name. When
// several compile units define a name, the definition with most of the wanted members wins, or the
// first of several equal ones. Makes one pass over the compile units of the image. Called by the
// layout code, once per file. Errors: unsupported when the image has no debug info, malformed when
// it cannot be read.
os::Result<std::vector<std::optional<TypeAnswer>>> read_types(const Image& image,
                                                              std::span<const TypeQuery> queries);

}  // namespace beam_exporter::elf
