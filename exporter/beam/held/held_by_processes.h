#pragma once

#include <optional>
#include <span>
#include <vector>

#include "beam/held/amount.h"
#include "beam/layout/layout.h"
#include "beam/processes/process_batch.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// What is worth more reads than a scan makes for each process.
struct Holdings {
  bool memory = false;    // process_memory.h
  bool binaries = false;  // off_heap_binaries.h
};

struct Held {
  // Absent: not asked for, the process has ended, or it changed during each of several tries.
  // Never torn.
  std::optional<Amount> memory, binaries;
};

struct HeldLook {
  std::vector<Held> held;      // one for each process, in their order
  std::uint64_t given_up = 0;  // processes that changed during each try
  // Of these: processes that stood still in each try, and yet point to what no process has.
  std::uint64_t contradictions = 0;
};

// False: the layout does not tell where all of it is. Pure.
bool can_measure(const Layout& layout, Holdings wanted);

// Measures what these processes hold. A process counts when its struct is the same before and after
// what it points to has been read; otherwise it is read again, at last alone. Works also on a VM
// that is stopped, and on a core. Any thread.
HeldLook measure_held(const Layout& layout, const os::Memory& memory,
                      std::span<const ScannedProcess> processes, Holdings wanted);

}  // namespace beam_exporter::beam
