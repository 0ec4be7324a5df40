#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "beam/held/held_by_processes.h"
#include "beam/processes/process_scan.h"
#include "beam/virtual_machine.h"
#include "os/result.h"

namespace beam_exporter::commands {

// What processes are compared by: a choice of --sort.
enum class HeapKey : std::uint8_t { heap, messages, reductions, memory, binaries };

// One look at all processes.
struct HeapLook {
  std::vector<beam::ScannedProcess> processes;
  std::vector<beam::Held> held;  // one for each process; empty: the key needs none
  beam::ProcessScan scan;
  std::uint64_t given_up = 0;  // processes whose `held` changed during each of several tries
};

// One of --sort's values.
HeapKey heap_key(std::string_view name);
// What must be measured for it.
beam::Holdings holdings_for(HeapKey key);
// Errors: unreadable (the table of processes; or the layout does not know what the key needs).
os::Result<HeapLook> look_at_heaps(const beam::VirtualMachine& vm, HeapKey key);
// Bytes, messages or reductions of a process of a look. nullopt: not known.
std::optional<beam::Amount> value_of(const HeapLook& look, std::size_t process, HeapKey key);

}  // namespace beam_exporter::commands
