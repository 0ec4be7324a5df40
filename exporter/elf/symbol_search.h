#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "elf/image.h"
#include "elf/symbol_file.h"
#include "os/result.h"

namespace beam_exporter::elf {

// Where the symbols of stripped executables and libraries are: in their debug files
// (debug_file.h), else in the symbol files of one folder, by build id. Loaded at start by the
// commands; immutable, cheap to copy, any thread.
class SymbolSearch {
 public:
  SymbolSearch() = default;  // debug files only
  // Reads every .yaml file of the folder; one bad file refuses it. Errors: invalid_argument,
  // malformed, unreadable.
  static os::Result<SymbolSearch> load(const std::filesystem::path& folder);

  // Adds what it finds to a file that is `path` inside `root` (find_debug_file). Returns its debug
  // file if there is one.
  std::optional<Image> complete(Image& image, const std::filesystem::path& root,
                                const std::filesystem::path& path) const;

 private:
  struct Found {
    std::string path;
    SymbolFile file;
  };
  std::map<std::string, std::shared_ptr<const Found>> by_build_id_;
};

}  // namespace beam_exporter::elf
