#include "session/own_session.h"

#include <algorithm>

#include "os/monotonic_clock.h"

namespace beam_exporter::session {

namespace {

constexpr auto refresh_interval = std::chrono::seconds(1);

}  // namespace

os::Result<std::unique_ptr<OwnSession>> OwnSession::attach(const os::Process& process,
                                                           const beam::LayoutLibrary& library,
                                                           settings::Settings settings) {
  settings.blame.functions.clear();
  settings.growth.enabled = false;
  std::unique_ptr<OwnSession> own(new OwnSession);
  auto session = TargetSession::attach(process, library, settings, own->totals_, own->recorder_);
  if (!session) return session.error();
  own->session_ = std::move(*session);
  own->refreshed_ = os::monotonic_now();
  return own;
}

bool OwnSession::run_for(std::chrono::nanoseconds duration, int wake_fd) {
  const auto end = os::monotonic_now() + duration;
  for (auto now = os::monotonic_now(); now < end; now = os::monotonic_now()) {
    const auto pause = std::min<std::chrono::nanoseconds>(end - now, refresh_interval);
    if (!session_->wait_and_collect(wake_fd, std::chrono::ceil<std::chrono::milliseconds>(pause)))
      return false;
    if (now - refreshed_ < refresh_interval) continue;
    refreshed_ = now;
    session_->refresh();
  }
  return true;
}

}  // namespace beam_exporter::session
