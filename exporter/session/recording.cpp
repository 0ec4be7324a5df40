#include "session/recording.h"

namespace beam_exporter::session {

os::Result<std::unique_ptr<Recording>> Recording::begin(const os::Process& process,
                                                        const beam::LayoutLibrary& library,
                                                        settings::Settings settings,
                                                        const Wish& wish) {
  if (wish.kernel != nullptr) settings.sampling.kernel_stacks = os::KernelStacks::taken;
  auto own = OwnSession::attach(process, library, std::move(settings));
  if (!own) return own.error();
  auto& session = (*own)->session();
  if (const auto refusal = session.not_sampled()) return *refusal;
  if (const auto known = session.blame_known(wish.blamed); !known) return known.error();
  if (wish.kernel != nullptr) session.name_kernel(wish.kernel);
  std::unique_ptr<Recording> recording(new Recording(std::move(*own)));
  session.refresh();
  if (const auto opened = recording->open_window(); !opened) return opened.error();
  return recording;
}

os::Status Recording::open_window() {
  auto window = own_->recorder().open();
  if (!window) return window.error();
  window_.emplace(std::move(*window));
  return os::Done{};
}

os::Result<profile::Profile> Recording::take() {
  const bool still_there = alive();
  if (still_there) own_->session().refresh();
  auto profile = window_->finish();
  profile.ended_early = !still_there;
  if (const auto opened = open_window(); !opened) return opened.error();
  return profile;
}

}  // namespace beam_exporter::session
