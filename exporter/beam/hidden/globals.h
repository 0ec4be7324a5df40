#pragma once

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "elf/image.h"
#include "os/memory/memory.h"
#include "os/memory/memory_map.h"

namespace beam_exporter::beam {

// Finds the globals of a VM whose executable exports none of them (OTP 28 and 29 are built with
// hidden visibility; stripped, they have no other symbols) by what they contain, and tells `data`
// their places. What cannot be told from something else is left out: then what depends on it is
// missing. Nothing is trusted yet: check_layout() proves it. Takes some milliseconds. One thread.
void find_hidden_globals(const Layout& layout, const elf::Image& image, std::uint64_t bias,
                         const os::Memory& memory, const os::MemoryMap& map, StaticData& data);

// The same for static variables, which no release exports.
void find_static_variables(const Layout& layout, const elf::Image& image, std::uint64_t bias,
                           const os::Memory& memory, StaticData& data);

}  // namespace beam_exporter::beam
