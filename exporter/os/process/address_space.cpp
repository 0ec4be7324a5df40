#include "os/process/address_space.h"

#include <fcntl.h>
#include <unistd.h>

namespace beam_exporter::os {

// An open /proc/PID/mem keeps the address space that it was opened on (fs/proc/base.c: mem_open,
// mem_rw). When no process uses that address space any more, a read returns 0 bytes. Otherwise a
// read at address 0, where nothing is mapped, fails. So no memory of the process is read.
AddressSpace::AddressSpace(const std::filesystem::path& proc_directory)
    : memory_(::open((proc_directory / "mem").c_str(), O_RDONLY | O_CLOEXEC)) {}

bool AddressSpace::replaced() const {
  char nothing = 0;
  return memory_ && ::pread(memory_.get(), &nothing, sizeof nothing, 0) == 0;
}

}  // namespace beam_exporter::os
