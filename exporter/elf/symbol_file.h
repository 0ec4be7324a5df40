#pragma once

#include <string>

#include "elf/image.h"
#include "elf/symbol_table.h"
#include "os/result.h"

namespace beam_exporter::elf {

// The symbols of one build as a text, for its stripped twin (config/builds/README.md): a twentieth
// of the debug file that has them. Read by SymbolSearch, written by the layout command. Plain data.
struct SymbolFile {
  std::string build_id;  // lower case hex
  SymbolTable symbols;
};

// Error: malformed, with file and line.
os::Result<SymbolFile> read_symbol_file(const std::string& path);

// `image` has a symbol table and a build id. Errors: unsupported (it has not, or more symbols than
// a symbol file may have).
os::Result<std::string> write_symbol_file(const Image& image);

}  // namespace beam_exporter::elf
