#pragma once

#include <memory>
#include <string>

#include "os/memory/memory.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::os {

// How the memory of one process is read, from now until it ends.
struct ChosenMemory {
  std::unique_ptr<Memory> memory;  // safe from any thread
  std::string complaint;           // why not by the cheapest way; empty: it is the cheapest
};

// process_vm_readv, or /proc/PID/mem where that call is refused and the file is open to us; proven
// by reading a byte of the executable. Errors: not_permitted (the text names the cause and the
// mend), unreadable (it ended, or begins).
Result<ChosenMemory> open_process_memory(const Process& process);

}  // namespace beam_exporter::os
