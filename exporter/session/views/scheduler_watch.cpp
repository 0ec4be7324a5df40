#include "session/views/scheduler_watch.h"

#include <algorithm>

#include "beam/processes_of_vm.h"
#include "beam/schedulers/sleep_flags.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::session {

namespace {

bool is_online(const beam::VirtualMachine& vm, const beam::Scheduler& scheduler) {
  const auto flags = vm.memory().value<std::uint32_t>(scheduler.sleep_flags).value_or(0);
  return (flags & beam::sleep_flags::suspended) == 0;
}

}  // namespace

os::Result<std::unique_ptr<SchedulerWatch>> SchedulerWatch::begin(
    const os::Process& process, const beam::LayoutLibrary& library, settings::Settings settings,
    bool idle_too) {
  auto own = OwnSession::attach(process, library, std::move(settings));
  if (!own) return own.error();
  auto& session = (*own)->session();
  std::unique_ptr<SchedulerWatch> watch(new SchedulerWatch(std::move(*own), idle_too));
  if (const auto table = beam::process_table(session.vm())) watch->ids_ = table->id_form();
  session.watch(watch->latest_);
  return watch;
}

void SchedulerWatch::look_at_blocked() {
  if (alive()) blocked_.look(latest_, idle_too_);
}

bool SchedulerWatch::run_for(std::chrono::nanoseconds duration, int wake_fd) {
  look_at_blocked();
  return own_->run_for(duration, wake_fd);
}

bool SchedulerWatch::all_worked() const {
  const auto& vm = this->vm();
  return std::ranges::all_of(vm.schedulers(), [&](const beam::Scheduler& scheduler) {
    return scheduler.role.kind != beam::ThreadKind::normal || latest_.worked(scheduler.role) ||
           !is_online(vm, scheduler);
  });
}

std::vector<SchedulerStack> SchedulerWatch::finish() {
  const auto now = os::monotonic_now();
  const bool still_there = alive();
  if (still_there) {
    own_->session().refresh();
    look_at_blocked();
  }
  return scheduler_stacks(own_->session().vm(), ids_, latest_.finish(), now, still_there);
}

}  // namespace beam_exporter::session
