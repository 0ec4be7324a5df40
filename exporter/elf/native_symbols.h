#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/image.h"

namespace beam_exporter::elf {

// One function of a file. Addresses are the file's, before the load bias.
struct NativeFunction {
  os::AddressRange range;
  // The names of all symbols at its first byte, without the suffixes of clones (".constprop.0",
  // ".isra.0"). Empty for a function without a symbol: a static one of a stripped file, or a part
  // that was moved out of its function.
  std::vector<std::string> names;
  // A part, by its symbol ("f.cold"); then `names` are those of the function.
  bool moved_out = false;
  bool exported = false;  // it has a symbol that is not local; static functions have none

  bool is(std::string_view name) const;
};

// Finds the function at an address of one file. Bounds come from .eh_frame, and from the sizes of
// symbols where it has none; names only from symbols exactly at the begin of the bounds, so that a
// function without a symbol never gets its neighbour's name. Made once per file (some ms for
// beam.smp), immutable.
class NativeSymbols {
 public:
  static NativeSymbols read(const Image& image);

  // The function whose code holds that address; nullptr where none is known.
  const NativeFunction* at(std::uint64_t address) const;
  // The function that begins at that address; nullptr when none does.
  const NativeFunction* beginning_at(std::uint64_t address) const;
  // nullptr when no function has that name.
  const NativeFunction* named(std::string_view name) const;

  std::span<const NativeFunction> functions() const { return functions_; }

 private:
  std::vector<NativeFunction> functions_;  // ascending
};

}  // namespace beam_exporter::elf
