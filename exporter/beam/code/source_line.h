#pragma once

#include "beam/code/line_table.h"

namespace beam_exporter::beam {

// The source file and line of the code at `address`, from the module's line table (as lookup_loc in
// beam_ranges.c, OTP 25 and 27). nullopt: there is no line information, it cannot be read, or the
// layout lacks a needed member of BeamCodeLineTab_.
std::optional<SourceLine> source_line(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                      const CodeModule& module, os::Address address);

}  // namespace beam_exporter::beam
