#pragma once

#include <optional>
#include <vector>

#include "beam/layout.h"
#include "os/memory.h"

namespace beam_exporter::beam {

struct ProcessTable {
  std::uint32_t count = 0;             // what the VM counts, exiting ones included
  std::vector<os::Address> processes;  // each proven by its own id
  std::size_t misplaced = 0;  // entries whose id belongs to another slot: torn, or a wrong layout
};

// The table alone: which slots are used, not yet whether their processes are still there.
struct ProcessSlots {
  struct Used {
    std::uint64_t slot = 0;
    os::Address process = 0;
  };
  std::uint32_t count = 0;  // what the VM counts, exiting ones included
  std::vector<Used> used;
  std::uint64_t mask = 0;
  bool slot_in_upper_half = false;

  // Which slot an id belongs to: its upper half up to OTP 25, its low bits above the tag since 26.
  std::uint64_t slot_of(Eterm id) const { return (slot_in_upper_half ? id >> 32 : id >> 4) & mask; }
};
std::optional<ProcessSlots> read_process_slots(const Layout& layout, const os::Memory& memory,
                                               os::Address table);

// erts_proc: every live process (erts/emulator/beam/erl_ptab.h, OTP 25 and 27).
std::optional<ProcessTable> read_process_table(const Layout& layout, const os::Memory& memory,
                                               os::Address table);

}  // namespace beam_exporter::beam
