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

// Wall time of each VM thread by state. Samples give CPU time by state. A thread can also be off
// the CPU in the middle of work, preempted or blocked. Where the source measures that time, it is
// added to the state of that work; elsewhere it is estimated from the kernel's counts of
// preemptions. The VM's own accounts count it in the same way. The rest of the wall time is sleep.
// The states of a thread always sum to its wall time exactly, and none ever shrinks: when samples
// claim more than the wall time of an interval, the excess is carried into the next interval.
// Continues over restarts of the VM. One thread.
class SchedulerClock {
 public:
  using Time = std::chrono::nanoseconds;  // CLOCK_MONOTONIC
  struct Use {
    std::optional<sampling::OffCpu> off_cpu;  // where the source measures it
    std::optional<os::CpuUse> counted;        // elsewhere: counted by the kernel
  };
  using CpuUse = std::map<beam::ThreadRole, Use>;

  // A state that is not known on threads of this kind counts as `other`.
  void add(beam::ThreadRole role, attribution::State state, Time cpu_time);

  // Adds the wall time since the last call (or since a thread appeared) to the threads in
  // `present`.
  void advance(const std::vector<beam::ThreadRole>& present, Time now, const CpuUse& cpu_use = {});

  // The states that can be told of this VM; at first all but gc_full.
  void tell(attribution::StateSet told) { told_ = told; }

  // The VM is gone: no time passes until the next advance().
  void pause();

  std::vector<SchedulerTime> times() const;

 private:
  using Seconds = std::array<double, attribution::state_names.size()>;
  struct Thread {
    Seconds total{};
    Seconds fresh{};    // CPU time from samples since the last advance()
    Seconds pending{};  // not yet assigned to wall time
    Time last{};
    Use use;
    sampling::OffCpu seen;  // how much of its growing parts was taken
    double spun = 0;        // spinning that is not yet moved to busy_wait
    attribution::State last_work = attribution::State::other;
    double last_wall = 0, last_idle = 0;
    bool running = false;
  };

  bool tellable(beam::ThreadKind kind, attribution::State state) const;
  // A state that cannot be told counts as another one.
  attribution::State told_as(beam::ThreadKind kind, attribution::State state) const;
  void take_fresh(beam::ThreadKind kind, Thread& thread, const Use& use);
  static void lay(Thread& thread, double wall);

  attribution::StateSet told_ = attribution::StateSet(attribution::all_states)
                                    .reset(static_cast<std::size_t>(attribution::State::gc_full));

  std::map<beam::ThreadRole, Thread> threads_;
};

}  // namespace beam_exporter::totals
