#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::os {

struct SamplingEvent {
  UniqueFd fd;
  bool sees_kernel = false;  // false: time in system calls yields no samples (no CAP_PERFMON)
};

// Bytes of user stack the kernel copies into each sample. Enough for the C stack below the JIT code
// and for shallow Erlang stacks; what is deeper is read afterwards.
inline constexpr std::uint32_t sampled_stack_bytes = 16 * 1024;

// What each sample carries: registers and stack, or nothing (a BPF program takes what it wants).
enum class SampleContent { registers_and_stack, nothing };

// One software cpu-clock event on one thread, on whatever CPU it runs: fires each `period` of that
// thread's CPU time, carrying user registers and user stack, stamped with CLOCK_MONOTONIC.
// Opened disabled. Errors: not_permitted (says which right lacks), gone (the thread ended), system.
Result<SamplingEvent> open_sampling_event(
    pid_t tid, std::chrono::nanoseconds period,
    SampleContent content = SampleContent::registers_and_stack);

// Fires whenever the thread leaves its CPU, for a BPF program to look at it there. Opened disabled.
// Errors: the same.
Result<UniqueFd> open_switch_event(pid_t tid);

// How long the thread of a switch event was on a CPU since that was enabled, interrupts included;
// nullopt when it has ended.
std::optional<std::chrono::nanoseconds> run_time_of(const UniqueFd& switch_event);

// Ends or begins the firing; no-ops on an event whose thread is gone.
void enable_sampling(const SamplingEvent& event);
void enable_event(const UniqueFd& event);

}  // namespace beam_exporter::os
