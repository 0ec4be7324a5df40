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
  bool sees_kernel = false;  // false: no samples inside system calls (CAP_PERFMON is missing)
};

// How many bytes of user stack the kernel copies into each sample. They hold the C stack below the
// JIT code, and shallow Erlang stacks; the rest of a deeper stack is read afterwards.
inline constexpr std::uint32_t sampled_stack_bytes = 16 * 1024;

// What each sample carries: registers and stack, or nothing (then a BPF program reads what it
// needs).
enum class SampleContent { registers_and_stack, nothing };

// Whether a sample inside the kernel also carries the functions of the kernel that ran.
enum class KernelStacks { left_out, taken };

// Opens one software cpu-clock event on one thread, whichever CPU it runs on. The event fires after
// each `period` of that thread's CPU time. A sample carries user registers and user stack, and a
// CLOCK_MONOTONIC time stamp. The event is disabled when it is opened. Errors: not_permitted (the
// text names the missing right), gone (the thread has ended), system.
Result<SamplingEvent> open_sampling_event(
    pid_t tid, std::chrono::nanoseconds period,
    SampleContent content = SampleContent::registers_and_stack,
    KernelStacks kernel = KernelStacks::left_out);

// Opens an event that fires whenever the thread leaves its CPU, so that a BPF program can look at
// the thread then. The event is disabled when it is opened. Errors: the same.
Result<UniqueFd> open_switch_event(pid_t tid);

// How long the thread was on a CPU since its switch event was enabled, interrupts included; nullopt
// when the thread has ended.
std::optional<std::chrono::nanoseconds> run_time_of(const UniqueFd& switch_event);

// The event fires from now on. Does nothing for an event whose thread is gone.
void enable_sampling(const SamplingEvent& event);
void enable_event(const UniqueFd& event);

}  // namespace beam_exporter::os
