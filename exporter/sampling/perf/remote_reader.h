#pragma once

#include <optional>

#include "beam/virtual_machine.h"
#include "os/perf/perf_ring.h"
#include "sampling/native_reader.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::sampling {

// Completes what the perf ring carried of a thread (registers and stack of that instant) with what
// has to be read of the VM a little later: which process, where its stack ends, the old end of a
// deep stack. That delay is the sample's read_delay. One thread.
class RemoteReader {
 public:
  // Both outlive it.
  RemoteReader(const beam::VirtualMachine& vm, NativeReader& native) : vm_(&vm), native_(&native) {}

  // `scheduler` is null for threads that never execute processes.
  void complete(const os::PerfSample& seen, const beam::Scheduler* scheduler, ObservedThread& out);

 private:
  void in_jit_code(const os::PerfSample& seen, const beam::Scheduler& scheduler,
                   ObservedThread& out);
  void in_native_code(const os::PerfSample& seen, const beam::Scheduler* scheduler,
                      ObservedThread& out);
  std::optional<SchedulerFields> read_scheduler(const beam::Scheduler& scheduler) const;
  void take_copied_stack(const os::PerfSample& seen, ObservedThread& out) const;
  void read_stack(os::Address e, ObservedThread& out) const;
  void read_old_end(ObservedThread& out) const;
  void read_words(os::Address begin, os::Address end, std::vector<std::uint64_t>& into) const;

  const beam::VirtualMachine* vm_;
  NativeReader* native_;
};

}  // namespace beam_exporter::sampling
