#pragma once

#include <memory>

#include "attribution/attributor.h"
#include "sampling/perf/blocked_thread.h"
#include "session/latest_stacks.h"

namespace beam_exporter::session {

// Looks at the schedulers that are off the CPU now. For the VM, one that waits inside a NIF or BIF
// runs a process, but no source samples it. One thread.
class BlockedSchedulers {
 public:
  // `vm` must outlive it.
  explicit BlockedSchedulers(beam::VirtualMachine& vm) : vm_(&vm), thread_(vm) {}

  // Adds those that execute a process; with `idle_too` also those that wait for work.
  void look(LatestStacks& into, bool idle_too);

 private:
  bool executes(const beam::Scheduler& scheduler) const;
  bool see(pid_t tid, const beam::Scheduler& scheduler);  // into seen_

  beam::VirtualMachine* vm_;
  sampling::BlockedThread thread_;
  // Reads the symbols of the VM's files: made for the first thread that is off the CPU.
  std::unique_ptr<attribution::Attributor> attributor_;
  sampling::RawSample seen_;
};

}  // namespace beam_exporter::session
