#pragma once

#include <cstdint>
#include <string>

namespace beam_exporter::beam {

// What is wrong with a member of `width` bytes at `offset` of a struct of `size` bytes that we hold
// in `widest` bytes; empty when nothing is. The one rule for places from DWARF and from layout
// files. A member that begins where the struct ends is an array of no stated length.
inline std::string misplacement(std::uint32_t offset, std::uint32_t width, std::uint32_t size,
                                std::size_t widest) {
  if (width != 1 && width != 2 && width != 4 && width != 8)
    return "is " + std::to_string(width) + " bytes wide, which is no number or pointer";
  if (width > widest)
    return "is " + std::to_string(width) + " bytes wide, at most " + std::to_string(widest) +
           " are understood";
  if (offset != size && (width > size || offset > size - width)) return "lies outside its struct";
  return "";
}

}  // namespace beam_exporter::beam
