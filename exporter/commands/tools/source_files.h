#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "os/result.h"

namespace beam_exporter::commands {

// Finds the source files of modules beneath a folder: a module names its source as the compiler was
// told, "shop.erl" or "/build/shop/src/shop.erl". One thread.
class SourceFiles {
 public:
  // Lists all files beneath it, 1,000,000 at most; links to folders are not followed. Error: one
  // line, when it is no folder.
  static os::Result<SourceFiles> beneath(const std::string& folder);

  // The file whose last parts are those of `name`, as many as possible. nullopt: there is none with
  // this name, or two that fit equally well.
  std::optional<std::string> find(const std::string& name) const;

 private:
  std::multimap<std::string, std::string> paths_;  // by the last part
};

}  // namespace beam_exporter::commands
