#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "elf/image.h"
#include "os/result.h"

namespace beam_exporter::elf {

// One question to DWARF: a struct, union or typedef by name, and members of it by dotted path
// ("common.u.alive.reg"); anonymous structs and unions on the way need no name.
struct TypeQuery {
  std::string name;
  std::vector<std::string> members;
};

// Bytes from the start of the queried type. For an array the width is that of one element.
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

// Answers, in the order of `queries`; nullopt where no complete type of that name exists. When
// several compile units define a name, the one that has the most of the wanted members wins, the
// first among equals. One pass over the compile units of an image that has debug info (called once
// per file, by the layout code); fails with unsupported when there is none and malformed when it
// cannot be read.
os::Result<std::vector<std::optional<TypeAnswer>>> read_types(const Image& image,
                                                              std::span<const TypeQuery> queries);

}  // namespace beam_exporter::elf
