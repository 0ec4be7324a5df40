#pragma once

#include <optional>

#include "beam/virtual_machine.h"
#include "os/perf/perf_ring.h"
#include "sampling/native_reader.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::sampling {

// The perf ring carries the registers and the stack of a thread at the instant of the sample. This
// reads the rest from the VM's memory a little later: which process the thread ran, where the
// process's stack ends, the bottom of a deep stack. That delay is the sample's read_delay. One
// thread.
class RemoteReader {
 public:
  // `vm` and `native` must outlive the reader.
  RemoteReader(const beam::VirtualMachine& vm, NativeReader& native) : vm_(&vm), native_(&native) {}

  // `scheduler` is null for threads that never execute processes.
  void complete(const os::PerfSample& seen, const beam::Scheduler* scheduler, ObservedThread& out);

 private:
  void in_jit_code(const os::PerfSample& seen, const beam::Scheduler& scheduler,
                   ObservedThread& out);
  void in_interpreter(const os::PerfSample& seen, const beam::Scheduler& scheduler,
                      ObservedThread& out);
  void in_native_code(const os::PerfSample& seen, const beam::Scheduler* scheduler,
                      ObservedThread& out);
  void read_executed(const beam::Scheduler& scheduler, ObservedThread& out) const;
  std::optional<SchedulerFields> read_scheduler(const beam::Scheduler& scheduler) const;
  void drop_torn_reductions(const beam::Scheduler& scheduler, SchedulerFields& fields) const;
  void take_copied_stack(const os::PerfSample& seen, ObservedThread& out) const;
  void read_stack(os::Address e, ObservedThread& out) const;
  void read_bottom(ObservedThread& out) const;
  void read_words(os::Address begin, os::Address end, std::vector<std::uint64_t>& into) const;

  const beam::VirtualMachine* vm_;
  NativeReader* native_;
};

}  // namespace beam_exporter::sampling
