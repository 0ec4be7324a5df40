#pragma once

#include <sys/types.h>

#include <memory>

#include "os/memory/memory.h"
#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::os {

// The memory of a live process, read from /proc/PID/mem. Used where process_vm_readv is refused. No
// ptrace attach, no stop, no write: the descriptor is read-only. Safe from any thread.
//
// Unlike process_vm_readv, the open file belongs to the program that ran when it was opened. The
// kernel keeps the mm_struct of that address space, not its pages (mmgrab without mmget:
// proc_mem_open, fs/proc/base.c). After an exec, or when the process has ended, every read fails
// (mem_rw). A page that the target itself may not access (PROT_NONE) can be read: its content, or
// zeros (FOLL_FORCE).
class ProcessMemoryFile final : public Memory {
 public:
  // The kernel checks our rights here, once. Errors: not_permitted, not_found.
  static Result<std::unique_ptr<Memory>> open(pid_t pid);

  [[nodiscard]] bool read(Address from, std::span<std::byte> into) const override;

 private:
  explicit ProcessMemoryFile(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

}  // namespace beam_exporter::os
