#include "commands/tools/top/live.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "log/log.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::commands {

namespace {

// A new size of the terminal is a signal, which may come before we wait.
constexpr auto longest_step = std::chrono::milliseconds(200);

// Readable when either of two descriptors is.
os::UniqueFd either(int one, int other) {
  os::UniqueFd both(epoll_create1(EPOLL_CLOEXEC));
  for (const int descriptor : {one, other}) {
    epoll_event readable{.events = EPOLLIN, .data = {.fd = descriptor}};
    epoll_ctl(both.get(), EPOLL_CTL_ADD, descriptor, &readable);
  }
  return both;
}

bool hung_up() {
  pollfd terminal{STDIN_FILENO, POLLIN, 0};
  return poll(&terminal, 1, 0) > 0 && (terminal.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace

os::Status show_live(session::Recording& recording, const Interrupt& interrupt, Screen& screen,
                     const TopChoice& choice, std::chrono::nanoseconds interval,
                     std::chrono::nanoseconds duration) {
  // A line on stderr would stand in the picture.
  log::set_level(log::Level::error);
  const auto wake = either(STDIN_FILENO, interrupt.descriptor());
  TopScreenState state{.choice = choice};
  std::optional<profile::Profile> latest;
  auto left = duration;
  auto begin = os::monotonic_now();
  const auto draw = [&] {
    screen.draw(screen_lines(state, latest ? &*latest : nullptr, screen.size()));
  };
  draw();
  while (!state.quit) {
    const auto due = begin + std::min(interval, left);
    const auto now = os::monotonic_now();
    const bool woken = !recording.run_for(
        std::clamp<std::chrono::nanoseconds>(due - now, {}, longest_step), wake.get());
    if (woken && (interrupt.comes_within({}) || hung_up())) break;
    if (!recording.alive()) return os::Error{os::ErrorKind::gone, "the VM has ended"};
    bool changed = false;
    while (const auto key = screen.key()) {
      press(state, *key);
      changed = true;
    }
    if (os::monotonic_now() >= due) {
      auto profile = recording.take();
      if (!profile) return profile.error();
      if (!state.frozen) latest = std::move(*profile);
      left -= std::min(interval, left);
      if (left.count() == 0) break;
      begin = os::monotonic_now();
      changed = true;
    }
    if (changed) draw();
  }
  return os::Done{};
}

}  // namespace beam_exporter::commands
