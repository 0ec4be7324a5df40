#pragma once

#include <optional>
#include <vector>

#include "beam/schedulers/thread_kind.h"
#include "commands/tools/tool.h"
#include "os/process/process.h"

namespace beam_exporter::commands {

// The flags that choose one thread of the VM.
class ThreadFlags {
 public:
  std::vector<Flag> flags();
  os::Status check() const;

  // nullopt: no thread was chosen. Error: not_found, when the VM has no such thread.
  os::Result<std::optional<beam::ThreadRole>> thread_of(const os::Process& process) const;

 private:
  std::int64_t scheduler_ = 0, tid_ = 0;  // 0: not given
};

}  // namespace beam_exporter::commands
