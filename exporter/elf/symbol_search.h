#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "elf/image.h"
#include "elf/symbol_file.h"
#include "os/result.h"

namespace beam_exporter::elf {

// Where the symbols of stripped executables and libraries are: in their debug files
// (debug_file.h), else in the symbol files of one folder, by build id. Loaded at start by the
// commands. Copies are cheap, and see the same files. Any thread.
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

  // From now on complete() takes this debug file for that build where it finds no other.
  void add_debug_file(const std::string& build_id, const std::string& file);

 private:
  struct Found {
    std::string path;
    SymbolFile file;
  };
  struct Added {
    std::mutex mutex;
    std::map<std::string, std::string> file_of;  // by build id
  };
  std::optional<Image> added(const Image& image) const;

  std::map<std::string, std::shared_ptr<const Found>> by_build_id_;
  std::shared_ptr<Added> added_ = std::make_shared<Added>();
};

}  // namespace beam_exporter::elf
