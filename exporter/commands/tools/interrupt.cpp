#include "commands/tools/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

namespace beam_exporter::commands {

namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  descriptor_ = os::UniqueFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

// A signal that has come already is taken by the descriptor: it must not end the program now.
Interrupt::~Interrupt() {
  signalfd_siginfo taken;
  while (read(descriptor_.get(), &taken, sizeof taken) > 0) {
  }
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

bool Interrupt::comes_within(std::chrono::milliseconds time) const {
  pollfd ending{descriptor_.get(), POLLIN, 0};
  return poll(&ending, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace beam_exporter::commands
