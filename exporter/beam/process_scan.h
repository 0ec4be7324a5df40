#pragma once

#include <optional>
#include <vector>

#include "beam/layout.h"
#include "beam/mfa.h"
#include "os/memory.h"

namespace beam_exporter::beam {

// One live process as it was when its struct was read.
struct ScannedProcess {
  Eterm id = 0;
  os::Address registered = 0;  // RegProc*; 0: no name
  os::Address dictionary = 0;  // ProcDict*; 0: empty
  Mfa initial;
  std::uint64_t heap_bytes = 0;  // heaps, heap fragments, messages: process_info's total_heap_size
  std::uint64_t messages = 0;    // in its queue, fetched or not, as message_queue_len
};

struct ProcessScan {
  std::vector<ScannedProcess> processes;
  std::uint64_t count = 0;  // what the VM counts, exiting ones included
  // Slots whose process ended or was replaced while we read, and queues that could not be counted.
  std::uint64_t torn = 0;
  // Messages whose size is not in heap_bytes though the VM counts it: beyond what a scan follows.
  std::uint64_t unmeasured_messages = 0;
  bool whole = false;       // at most one slot in eight did not hold its own process
  std::uint64_t reads = 0;  // pieces of memory asked for
};

// Every live process: the table in one read, the structs in batches of 1,024. Works on a VM that is
// stopped or stuck as well. `table` is erts_proc. nullopt: the table cannot be read, or more than
// one slot in eight did not hold its own process. Any thread.
std::optional<ProcessScan> scan_processes(const Layout& layout, const os::Memory& memory,
                                          os::Address table);

}  // namespace beam_exporter::beam
