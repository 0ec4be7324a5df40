#pragma once

#include <sys/types.h>

#include "os/memory/memory.h"

namespace beam_exporter::os {

// The memory of a live process, read with process_vm_readv: no ptrace attach, no stop, no write.
// Needs the same user (and a dumpable target) or CAP_SYS_PTRACE. Holds no resource; safe from any
// thread.
class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}

  [[nodiscard]] bool read(Address from, std::span<std::byte> into) const override;
  void read_batch(std::span<ReadRequest> requests) const override;

 private:
  pid_t pid_;
};

}  // namespace beam_exporter::os
