#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "beam/layout/layout_library.h"
#include "beam/processes/process_id.h"
#include "session/latest_stacks.h"
#include "session/own_session.h"
#include "session/views/blocked_schedulers.h"
#include "session/views/scheduler_stacks.h"
#include "settings/settings.h"

namespace beam_exporter::session {

// Watches the schedulers of a VM for a while, to tell what each of them runs. A VM that may not be
// sampled is still looked at, from memory alone. For a command that looks once. One thread.
class SchedulerWatch {
 public:
  // Starts to sample; a line in the log says why it cannot. `idle_too`: where idle schedulers wait
  // is told as well. Errors: those of TargetSession::attach.
  static os::Result<std::unique_ptr<SchedulerWatch>> begin(const os::Process& process,
                                                           const beam::LayoutLibrary& library,
                                                           settings::Settings settings,
                                                           bool idle_too);

  // Looks once at threads that are off the CPU, then takes the samples of so long a time. False
  // when it ended earlier: the VM has ended, or `wake_fd` is readable.
  bool run_for(std::chrono::nanoseconds duration, int wake_fd);
  // True when each normal scheduler that is online was seen at work.
  bool all_worked() const;

  // Call it once, at the end.
  std::vector<SchedulerStack> finish();

  bool alive() const { return own_->session().alive(); }
  bool sampled() const { return !own_->session().not_sampled(); }
  const beam::VirtualMachine& vm() const { return std::as_const(*own_).session().vm(); }

 private:
  SchedulerWatch(std::unique_ptr<OwnSession> own, bool idle_too)
      : idle_too_(idle_too),
        own_(std::move(own)),
        latest_(own_->session().vm()),
        blocked_(own_->session().vm()) {}
  void look_at_blocked();

  bool idle_too_;
  std::unique_ptr<OwnSession> own_;
  std::optional<beam::ProcessIdForm> ids_;
  LatestStacks latest_;
  BlockedSchedulers blocked_;
};

}  // namespace beam_exporter::session
