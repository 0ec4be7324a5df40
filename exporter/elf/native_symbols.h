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
  // Every name a symbol gives to its first byte, without what the compiler appends to clones
  // (".constprop.0", ".isra.0"); empty for a function that no symbol names: a static one of a
  // stripped file, or a part moved out of its function.
  std::vector<std::string> names;
  bool moved_out = false;  // its symbol says so ("f.cold"); `names` are then those of the function
  bool exported = false;   // a symbol that is not local names it: static functions are not

  bool is(std::string_view name) const;
};

// Addresses of one file to functions. Bounds come from .eh_frame, names only from a symbol that
// stands exactly where the bounds begin: a function without a symbol is never taken for its
// neighbour. Made once per file (some ms for beam.smp), immutable.
class NativeSymbols {
 public:
  static NativeSymbols read(const Image& image);

  // The function whose code holds that address; nullptr where .eh_frame knows none.
  const NativeFunction* at(std::uint64_t address) const;
  // The function that begins there.
  const NativeFunction* beginning_at(std::uint64_t address) const;
  // nullptr when no function has that name.
  const NativeFunction* named(std::string_view name) const;

  std::span<const NativeFunction> functions() const { return functions_; }

 private:
  std::vector<NativeFunction> functions_;  // ascending
};

}  // namespace beam_exporter::elf
