#pragma once

#include <filesystem>
#include <string>

#include "os/result.h"

namespace beam_exporter::commands {

// `beam_exporter layout BEAM_SMP`: the layout file of that build as YAML text, from the DWARF in
// the binary or in its separate debug file. An error is one line. Without DWARF it says where it
// searched and how to get some.
os::Result<std::string> layout_yaml(const std::filesystem::path& beam_smp);

// `beam_exporter layout --symbols FILE`: the symbol file of that build (elf/symbol_file.h).
os::Result<std::string> symbols_yaml(const std::filesystem::path& file);

}  // namespace beam_exporter::commands
