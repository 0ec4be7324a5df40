#pragma once

#include <vector>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "beam/schedulers/thread_kind.h"
#include "os/memory/memory.h"
#include "os/result.h"

namespace beam_exporter::beam {

// One ErtsSchedulerData of the VM. Its address never changes.
struct Scheduler {
  ThreadRole role;
  os::Address data = 0;
  // For normal schedulers of the JIT: C code that JIT code calls uses the stack right below this
  // address, so that the word below it is the return address into JIT code. Otherwise 0.
  os::Address runtime_stack = 0;
  os::Address sleep_flags = 0;  // ErtsSchedulerSleepInfo.flags of this scheduler
};

// The data at this address are those of the scheduler with this number.
bool is_scheduler(const Layout& layout, const os::Memory& memory, os::Address at, ThreadRole role);

// All schedulers, normal and dirty, online or not. Where no symbol says how many there are, their
// own numbers do. Errors: not_found (no symbols), malformed.
os::Result<std::vector<Scheduler>> find_schedulers(const Layout& layout, const StaticData& data,
                                                   const os::Memory& memory);

}  // namespace beam_exporter::beam
