#include "session/views/blocked_schedulers.h"

#include "beam/layout/remote_struct.h"
#include "os/process/threads.h"

namespace beam_exporter::session {

namespace {

// A thread that waits for something again and again may run just while it is read.
constexpr int most_looks_at_one = 5;

}  // namespace

bool BlockedSchedulers::executes(const beam::Scheduler& scheduler) const {
  const auto& at = vm_->layout().scheduler_data;
  return beam::read_field(vm_->memory(), scheduler.data, at.current_process).value_or(0) != 0;
}

bool BlockedSchedulers::see(pid_t tid, const beam::Scheduler& scheduler) {
  for (int tries = 0; tries < most_looks_at_one; ++tries)
    if (thread_.see(tid, scheduler.role, &scheduler, seen_)) return true;
  return false;
}

void BlockedSchedulers::look(LatestStacks& into, bool idle_too) {
  thread_.update();
  const bool code_is_known = vm_->code().refresh();
  for (const auto& thread : os::threads_of(vm_->process().directory())) {
    const auto role = beam::thread_role(thread.name);
    const auto* scheduler = role ? vm_->scheduler(*role) : nullptr;
    if (scheduler == nullptr || (!idle_too && !executes(*scheduler))) continue;
    if (!see(thread.tid, *scheduler)) continue;
    if (!seen_.has_process() && !idle_too) continue;
    if (attributor_ == nullptr)
      attributor_ = std::make_unique<attribution::Attributor>(*vm_, thread_.objects());
    const auto meaning = attributor_->attribute(seen_, code_is_known);
    into.add(seen_, meaning, attributor_->native_frames(), true);
  }
}

}  // namespace beam_exporter::session
