#pragma once

#include <optional>
#include <span>

#include "beam/layout/layout.h"
#include "beam/terms/mfa.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// What a sample needs of the process struct (erl_process.h), fetched in one read.
struct ProcessFields {
  os::Address address = 0;
  Eterm id = 0;
  os::Address htop = 0, stop = 0, heap = 0, hend = 0;
  os::Address frame_pointer = 0;  // 0 where the build has none
  os::Address i = 0;              // where it goes on when scheduled in
  os::Address current = 0;        // const ErtsCodeMFA* of the BIF or NIF it runs, or stale
  Mfa initial;
  std::uint32_t state = 0;             // ERTS_PSFLG_*
  os::Address dirty_tasks = 0;         // what a dirty scheduler was asked to do to it; 0: nothing
  std::optional<std::int64_t> fcalls;  // reductions left when it last called C code

  // The stack grows down from hend into the heap block; htop may be stale while the process runs.
  bool holds(os::Address stack_pointer) const {
    return stack_pointer >= heap && stack_pointer <= hend && stack_pointer % 8 == 0;
  }
};

// From the bytes of a process struct that was at `address`; nullopt as below.
std::optional<ProcessFields> process_from(const Layout& layout, os::Address address,
                                          std::span<const std::byte> bytes);

// nullopt when unreadable, or when it is no live process: a pid in common.id, an ordered heap.
std::optional<ProcessFields> read_process(const Layout& layout, const os::Memory& memory,
                                          os::Address process);

}  // namespace beam_exporter::beam
