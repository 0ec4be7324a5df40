#pragma once

#include <memory>
#include <string>

#include "os/memory/memory.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::os {

// The way to read the memory of one process, until it ends.
struct ChosenMemory {
  std::unique_ptr<Memory> memory;  // safe from any thread
  std::string complaint;           // why the cheapest way is not used; empty: it is used
};

// Chooses process_vm_readv, or /proc/PID/mem where that call is refused and we may open the file.
// Reads a byte of the executable to prove that the way works. Errors: not_permitted (the text names
// the cause and the fix), unreadable (the process has ended, or is just starting).
Result<ChosenMemory> open_process_memory(const Process& process);

}  // namespace beam_exporter::os
