#pragma once

#include <functional>
#include <optional>

#include "beam/layout/layout.h"
#include "beam/terms/mfa.h"
#include "os/memory/memory.h"

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
  std::uint64_t processes = 0;  // taken
  std::uint64_t count = 0;      // what the VM counts, exiting ones included
  // Processes that ended or were replaced between two reads, and queues that could not be counted.
  std::uint64_t torn = 0;
  // Messages whose size is not in heap_bytes though the VM counts it: beyond what a scan follows.
  std::uint64_t unmeasured_messages = 0;
  std::uint64_t reads = 0;  // pieces of memory asked for
};

// Every process that was there when the table was read, one call of `take` for each. The table is
// read first, in pieces of which only the used slots are kept, then the processes in batches. Of
// one that ended before it was read nothing is known: its slot is looked at again, and it is left
// out. Works on a VM that is stopped or stuck as well. `table` is erts_proc. nullopt: the table
// cannot be read, or one slot in eight stands still and does not hold its own process: what was
// taken is to be forgotten. Any thread.
std::optional<ProcessScan> scan_processes(const Layout& layout, const os::Memory& memory,
                                          os::Address table,
                                          const std::function<void(const ScannedProcess&)>& take);

}  // namespace beam_exporter::beam
