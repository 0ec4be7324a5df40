#pragma once

#include <sys/types.h>

#include <memory>

#include "os/memory/memory.h"
#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::os {

// The memory of a live process, read from /proc/PID/mem: for where process_vm_readv is refused. No
// ptrace attach, no stop, no write: the descriptor is read-only. Safe from any thread.
//
// Unlike process_vm_readv it is bound to the program that ran when it was opened: the kernel keeps
// the name of that address space, not its pages (mmgrab without mmget: proc_mem_open,
// fs/proc/base.c), and after an exec or the end every read fails (mem_rw). A page that the target
// itself may not touch (PROT_NONE) reads as what is there, or as zeros (FOLL_FORCE).
class ProcessMemoryFile final : public Memory {
 public:
  // Rights are asked for here, once. Errors: not_permitted, not_found.
  static Result<std::unique_ptr<Memory>> open(pid_t pid);

  [[nodiscard]] bool read(Address from, std::span<std::byte> into) const override;

 private:
  explicit ProcessMemoryFile(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

}  // namespace beam_exporter::os
