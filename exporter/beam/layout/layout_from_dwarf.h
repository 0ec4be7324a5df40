#pragma once

#include "beam/layout/layout.h"
#include "beam/layout/release.h"
#include "elf/image.h"
#include "os/result.h"

namespace beam_exporter::beam {

// A Layout as the compiler wrote it down. `debug` holds the DWARF: the executable itself or its
// separate debug file; `release` comes from the executable. A required struct or member that is
// missing, a bit-field, and a member wider than our Field are errors that name it. Called once per
// file.
os::Result<Layout> layout_from_dwarf(const elf::Image& debug, const Release& release);

}  // namespace beam_exporter::beam
