#pragma once

#include <functional>
#include <optional>

#include "beam/layout/layout.h"
#include "beam/processes/process_batch.h"
#include "beam/processes/process_id.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

struct ProcessScan {
  std::uint64_t processes = 0;  // taken
  std::uint64_t count = 0;      // the VM's own count, including exiting processes
  // Processes that ended or were replaced between two reads, and message queues that could not be
  // counted.
  std::uint64_t torn = 0;
  // Messages whose size is missing in heap_bytes, although the VM counts it: they are beyond the
  // bounds of a scan.
  std::uint64_t unmeasured_messages = 0;
  ProcessIdForm ids;        // how this VM's ids are printed
  std::uint64_t reads = 0;  // pieces of memory that were read
};

// Calls `take` for every process that was there when the table was read. Reads the table first, in
// pieces, and keeps the used slots only; then it reads the processes in batches. A process that
// ended before it was read is left out, after a second look at its slot. Works also on a VM that is
// stopped or stuck. `table` is erts_proc. nullopt: the table cannot be read, or more than one slot
// in eight does not change and still does not hold its own process; then forget what `take` was
// given. Any thread.
std::optional<ProcessScan> scan_processes(const Layout& layout, const os::Memory& memory,
                                          os::Address table,
                                          const std::function<void(const ScannedProcess&)>& take);

}  // namespace beam_exporter::beam
