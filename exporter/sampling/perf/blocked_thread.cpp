#include "sampling/perf/blocked_thread.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "beam/layout/remote_struct.h"
#include "os/monotonic_clock.h"
#include "os/process/threads.h"

namespace beam_exporter::sampling {

namespace {

// As much as a sample of perf has, and more: it is copied once and not for each sample.
constexpr std::uint64_t most_copied = std::uint64_t{64} * 1024;

// If both are equal before and after, the thread has not run between them.
struct StandsStill {
  std::optional<os::UserPlace> place;
  std::uint64_t switches = 0;  // times that it left its CPU
  friend bool operator==(const StandsStill&, const StandsStill&) = default;
};

StandsStill stand_of(const os::Process& process, pid_t tid) {
  StandsStill now{.place = os::user_place_of(process.directory(), tid)};
  if (const auto use = os::cpu_use_of(process.directory(), tid))
    now.switches = use->yielded + use->preempted;
  return now;
}

}  // namespace

void BlockedThread::update() {
  vm_->refresh_memory_map();
  native_.update_objects();
}

bool BlockedThread::see(pid_t tid, beam::ThreadRole role, const beam::Scheduler* scheduler,
                        ObservedThread& out) {
  const auto before = stand_of(vm_->process(), tid);
  if (!before.place) return false;
  out.clear();
  out.role = role;
  const auto stack = copied_stack(before.place->stack_pointer);
  os::PerfSample seen{
      .tid = tid, .time = os::monotonic_now(), .has_registers = true, .only_place = true};
  seen.stack = stack;
  seen.registers.value[os::UserRegisters::rip] = before.place->instruction;
  seen.registers.value[os::UserRegisters::rsp] = before.place->stack_pointer;
  // A thread that was stopped in JIT code: there, r13 is the process that the scheduler executes
  // (c_p in jit/x86/beam_asm.hpp, OTP 25 and 27).
  if (scheduler != nullptr)
    seen.registers.value[os::UserRegisters::r13] =
        beam::read_field(vm_->memory(), scheduler->data,
                         vm_->layout().scheduler_data.current_process)
            .value_or(0);
  reader_.complete(seen, scheduler, out);
  // If it has not run, all that was read is of the instant that the sample has.
  out.read_delay = {};
  if (out.process && out.scheduler && out.scheduler->current_nif != 0)
    out.called = vm_->memory().value<beam::CodeMfa>(out.process->current);
  return stand_of(vm_->process(), tid) == before;
}

// Page by page, because a stack may end inside its mapping: from glibc 2.42 on, on Linux 6.13, the
// page that guards the next stack is no mapping of its own (MADV_GUARD_INSTALL in glibc's
// nptl/allocatestack.c), so that the kernel shows many stacks as one mapping.
std::vector<std::byte> BlockedThread::copied_stack(os::Address begin) const {
  constexpr os::Address page = 4096;
  const auto* mapping = vm_->memory_map().find(begin);
  if (mapping == nullptr) return {};
  std::vector<std::byte> bytes(std::min(mapping->range.end - begin, most_copied));
  std::vector<os::ReadRequest> pages;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto left = page - (begin + at) % page;
    pages.push_back({begin + at, std::span(bytes).subspan(at).first(
                                     std::min<std::size_t>(left, bytes.size() - at))});
    at += pages.back().into.size();
  }
  vm_->memory().read_batch(pages);
  const auto unread = std::ranges::find(pages, false, &os::ReadRequest::ok);
  if (unread != pages.end()) bytes.resize(unread->from - begin);
  return bytes;
}

}  // namespace beam_exporter::sampling
