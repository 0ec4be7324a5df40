#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/tools/tool.h"
#include "elf/core_file.h"

namespace beam_exporter::commands {

// The flags --core and --executable of a tool that can look at a VM of which only a core file is
// left.
class CoreChoice {
 public:
  std::vector<Flag> flags();
  // For the tool's own: --executable says nothing without --core.
  os::Status check() const;
  // Opens the core, with the rights of the user.
  os::Status prepare();

  bool given() const { return !path_.empty(); }
  const std::string& executable() const { return executable_; }
  // After prepare(): nullopt if no core was named. It can be taken once.
  std::optional<elf::CoreFile> take() { return std::exchange(core_, std::nullopt); }
  const std::string& path() const { return path_; }

 private:
  std::string path_, executable_;
  std::optional<elf::CoreFile> core_;
};

}  // namespace beam_exporter::commands
