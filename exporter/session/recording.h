#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "beam/layout/layout_library.h"
#include "os/process/process.h"
#include "os/result.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "session/own_session.h"
#include "settings/settings.h"
#include "totals/totals.h"

namespace beam_exporter::session {

// A VM that is attached to, proven and sampled: for commands that sample a VM themselves. One
// thread.
class Recording {
 public:
  // Instead of what the settings say for serving.
  struct Wish {
    std::vector<std::string> blamed;
    // Not null: stacks have the functions of the kernel too.
    std::shared_ptr<const os::KernelSymbols> kernel;
  };

  // Starts to sample. Errors: those of OwnSession::attach; not_permitted when no source may sample;
  // not_found when the VM does not have one of `wish.blamed`.
  static os::Result<std::unique_ptr<Recording>> begin(const os::Process& process,
                                                      const beam::LayoutLibrary& library,
                                                      settings::Settings settings,
                                                      const Wish& wish = {});

  // As OwnSession::run_for().
  bool run_for(std::chrono::nanoseconds duration, int wake_fd) {
    return own_->run_for(duration, wake_fd);
  }

  // What was recorded since begin() or the last take(). When the VM has ended, the profile says so
  // (ended_early).
  os::Result<profile::Profile> take();

  bool alive() const { return own_->session().alive(); }
  const os::Process& process() const { return own_->session().process(); }

 private:
  explicit Recording(std::unique_ptr<OwnSession> own) : own_(std::move(own)) {}
  os::Status open_window();

  std::unique_ptr<OwnSession> own_;
  std::optional<profile::Recorder::Window> window_;
};

}  // namespace beam_exporter::session
