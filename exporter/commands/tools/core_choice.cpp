#include "commands/tools/core_choice.h"

namespace beam_exporter::commands {

std::vector<Flag> CoreChoice::flags() {
  return {{"--core", "FILE", "look at this core file of a VM instead of a running one", &path_},
          {"--executable", "FILE",
           "the beam.smp of that core (default: the file from which the VM ran)", &executable_}};
}

os::Status CoreChoice::check() const {
  if (executable_.empty() || given()) return os::Done{};
  return os::Error{os::ErrorKind::invalid_argument, "--executable: needs --core"};
}

os::Status CoreChoice::prepare() {
  if (!given()) return os::Done{};
  auto core = elf::CoreFile::open(path_);
  if (!core) return core.error();
  core_ = std::move(*core);
  return os::Done{};
}

}  // namespace beam_exporter::commands
