#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "elf/direct_calls.h"
#include "elf/text_uses.h"

namespace beam_exporter::attribution {

// The functions of beam/copy.c in an emulator that exports none of them, by the address of their
// first byte. They are known by the error texts that they print, by who calls them, and by their
// places: the code of one source file lies together. `sizing_bif` is the C function of
// erts_debug:size_shared/1. All of them or none: half of a family would be a wrong number.
// copy_object_x and copy_shallow_obj_x only where the compiler has kept them.
std::map<std::uint64_t, std::string_view> copying_functions(const elf::TextUses& texts,
                                                            const elf::NativeSymbols& symbols,
                                                            const elf::DirectCalls& calls,
                                                            std::uint64_t sizing_bif);

// Of an executable that exports these functions: the copies that link-time optimization has made of
// them (copy_struct_x.constprop.0), by their first byte. They are static, so that a stripped file
// has no names for them. A copy prints what its original prints, and is a little smaller.
std::map<std::uint64_t, std::string_view> copies_of_copying_functions(
    const elf::TextUses& texts, const elf::NativeSymbols& symbols);

}  // namespace beam_exporter::attribution
