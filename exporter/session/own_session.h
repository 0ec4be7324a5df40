#pragma once

#include <chrono>
#include <memory>

#include "beam/layout/layout_library.h"
#include "os/process/process.h"
#include "os/result.h"
#include "profile/recorder.h"
#include "session/target_session.h"
#include "settings/settings.h"
#include "totals/totals.h"

namespace beam_exporter::session {

// A session with totals and a recorder of its own: for commands that sample a VM themselves. One
// thread.
class OwnSession {
 public:
  // Starts to sample, without what only serving needs. Errors: those of TargetSession::attach.
  static os::Result<std::unique_ptr<OwnSession>> attach(const os::Process& process,
                                                        const beam::LayoutLibrary& library,
                                                        settings::Settings settings);

  // Takes the samples of so long a time. False when it ended earlier: the VM has ended, or
  // `wake_fd` is readable (-1: nothing wakes it).
  bool run_for(std::chrono::nanoseconds duration, int wake_fd);

  TargetSession& session() { return *session_; }
  const TargetSession& session() const { return *session_; }
  profile::Recorder& recorder() { return recorder_; }

 private:
  OwnSession() : totals_({}) {}

  totals::Totals totals_;
  profile::Recorder recorder_;
  std::unique_ptr<TargetSession> session_;
  std::chrono::nanoseconds refreshed_{};
};

}  // namespace beam_exporter::session
