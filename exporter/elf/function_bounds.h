#pragma once

#include <vector>

#include "elf/image.h"

namespace beam_exporter::elf {

// Where each function of a file begins and ends, ascending, as its .eh_frame says: one range per
// frame description entry (FDE). That holds for stripped files too, and for static functions; a
// part that the compiler moved out of its function (`.cold`) has a range of its own. Empty when the
// file has no .eh_frame; entries in encodings we do not read are left out. Addresses are the
// file's.
std::vector<os::AddressRange> function_bounds(const Image& image);

}  // namespace beam_exporter::elf
