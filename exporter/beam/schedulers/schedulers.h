#pragma once

#include <vector>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "beam/schedulers/thread_kind.h"
#include "os/memory/memory.h"
#include "os/result.h"

namespace beam_exporter::beam {

// One ErtsSchedulerData of the VM; its place never changes while the VM lives.
struct Scheduler {
  ThreadRole role;
  os::Address data = 0;
  // Normal schedulers of the JIT: C code called from JIT code runs right below this address, so the
  // word below it is the return address into JIT code. 0 when there is none.
  os::Address runtime_stack = 0;
  os::Address sleep_flags = 0;  // ErtsSchedulerSleepInfo.flags of this scheduler
};

// All schedulers, normal and dirty, online or not. Errors: not_found (no symbols), malformed.
os::Result<std::vector<Scheduler>> find_schedulers(const Layout& layout, const StaticData& data,
                                                   const os::Memory& memory);

}  // namespace beam_exporter::beam
