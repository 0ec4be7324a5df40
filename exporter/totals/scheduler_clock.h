#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "os/process/threads.h"
#include "sampling/off_cpu.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// Wall time of each VM thread by state. Samples give CPU time by state. Time in which the thread
// was preempted, or blocked in the midst of work, is added to what it was doing, where the source
// measures it; else what the kernel counts of preemption is. The VM's own accounts do so too. What
// is left of the wall time is sleep. The states of a thread
// always sum to its wall time exactly and none ever shrinks: time that samples claim beyond the
// wall time of an interval is carried into the next. Goes on over restarts of the VM. One thread.
class SchedulerClock {
 public:
  using Time = std::chrono::nanoseconds;  // CLOCK_MONOTONIC
  struct Use {
    std::optional<sampling::OffCpu> off_cpu;  // where the source measures it
    std::optional<os::CpuUse> counted;        // else, by the kernel
  };
  using CpuUse = std::map<beam::ThreadRole, Use>;

  // A state that threads of that kind are not known to have counts as `other`.
  void add(beam::ThreadRole role, attribution::State state, Time cpu_time);

  // Wall time passes for the threads in `present` since the last call (or since they appeared).
  void advance(const std::vector<beam::ThreadRole>& present, Time now, const CpuUse& cpu_use = {});

  // Major collections can be told from minor ones in this VM. Off at first.
  void tell_gc_full(bool told) { gc_full_told_ = told; }

  // The VM is gone: until the next advance() no time passes for anybody.
  void pause();

  std::vector<SchedulerTime> times() const;

 private:
  using Seconds = std::array<double, attribution::state_names.size()>;
  struct Thread {
    Seconds total{};
    Seconds fresh{};    // CPU time from samples since the last advance()
    Seconds pending{};  // not yet laid into wall time
    Time last{};
    Use use;
    sampling::OffCpu seen;  // what of its growing parts has been taken
    double spun = 0;        // of it, not yet taken
    attribution::State last_work = attribution::State::other;
    double last_wall = 0, last_idle = 0;
    bool running = false;
  };

  bool tellable(beam::ThreadKind kind, attribution::State state) const;
  static void take_fresh(Thread& thread, const Use& use);
  static void lay(Thread& thread, double wall);

  bool gc_full_told_ = false;

  std::map<beam::ThreadRole, Thread> threads_;
};

}  // namespace beam_exporter::totals
