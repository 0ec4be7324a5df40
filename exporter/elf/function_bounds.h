#pragma once

#include <vector>

#include "elf/image.h"

namespace beam_exporter::elf {

// Where each function of a file begins and ends, ascending, by its .eh_frame: one range per frame
// description entry (FDE). Stripped files and static functions have them too. A part that the
// compiler moved out of its function (`.cold`) has a range of its own. Empty when the file has no
// .eh_frame; entries in an encoding that we do not read are left out. Addresses are those of the
// file, before the load bias.
std::vector<os::AddressRange> function_bounds(const Image& image);

}  // namespace beam_exporter::elf
