#include "os/perf/perf_event.h"

#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "os/perf/perf_ring.h"
#include "os/rights/perf_event_call.h"
#include "os/rights/refusal.h"

namespace beam_exporter::os {

namespace {

perf_event_attr attributes(std::chrono::nanoseconds period, SampleContent content,
                           KernelStacks kernel) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  // A period, not a frequency: then samples stand for about the same CPU time.
  attr.sample_period = static_cast<std::uint64_t>(period.count());
  if (content == SampleContent::registers_and_stack) {
    attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
                       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.sample_regs_user = sampled_register_mask;
    attr.sample_stack_user = sampled_stack_bytes;
    if (kernel == KernelStacks::taken) {
      attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
      attr.exclude_callchain_user = 1;  // needs frame pointers, which the VM's C code lacks
    }
  }
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.disabled = 1;
  attr.exclude_hv = 1;
  attr.wakeup_events = 1;  // wake us at once: that keeps the read delay short
  return attr;
}

Error open_error(int error, pid_t tid) {
  if (error == EACCES || error == EPERM)
    return Error{ErrorKind::not_permitted, perf_refusal(refusal_facts())};
  if (error == ESRCH) return Error{ErrorKind::gone, "thread " + std::to_string(tid) + " has ended"};
  // gVisor answers ENODEV.
  if (error == ENOSYS || error == ENODEV) {
    const auto facts = refusal_facts();
    return Error{ErrorKind::unsupported, facts.gvisor || facts.perf_filtered
                                             ? perf_refusal(facts)
                                             : "this kernel has no perf events"};
  }
  return Error{ErrorKind::system,
               std::string("perf_event_open: ") + std::generic_category().message(error)};
}

}  // namespace

Result<SamplingEvent> open_sampling_event(pid_t tid, std::chrono::nanoseconds period,
                                          SampleContent content, KernelStacks kernel) {
  perf_event_attr attr = attributes(period, content, kernel);
  UniqueFd fd = open_perf_event(attr, tid);
  if (fd) return SamplingEvent{std::move(fd), true};
  if (errno == EACCES || errno == EPERM) {
    // This is what perf_event_paranoid 2 still allows the process's own user.
    attr.exclude_kernel = 1;
    fd = open_perf_event(attr, tid);
    if (fd) return SamplingEvent{std::move(fd), false};
  }
  return open_error(errno, tid);
}

Result<UniqueFd> open_switch_event(pid_t tid) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
  attr.sample_period = 1;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.disabled = 1;
  UniqueFd fd = open_perf_event(attr, tid);
  if (!fd) return open_error(errno, tid);
  return fd;
}

std::optional<std::chrono::nanoseconds> run_time_of(const UniqueFd& switch_event) {
  std::array<std::uint64_t, 2> count_and_time{};
  if (read(switch_event.get(), count_and_time.data(), sizeof count_and_time) !=
      sizeof count_and_time)
    return std::nullopt;
  return std::chrono::nanoseconds(count_and_time[1]);
}

void enable_sampling(const SamplingEvent& event) { enable_event(event.fd); }

void enable_event(const UniqueFd& event) { ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0); }

}  // namespace beam_exporter::os
