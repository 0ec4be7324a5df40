#pragma once

#include <optional>
#include <string>

#include "beam/code/code_module.h"
#include "beam/terms/atoms.h"

namespace beam_exporter::beam {

struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
};

// Where in the source the code at `address` comes from, read on demand from the module's line table
// (lookup_loc in beam_ranges.c, OTP 25 and 27). nullopt: no line information, not readable, or the
// layout is without BeamCodeLineTab_ or a member of it that this needs.
std::optional<SourceLine> source_line(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                      const CodeModule& module, os::Address address);

}  // namespace beam_exporter::beam
