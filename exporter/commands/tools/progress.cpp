#include "commands/tools/progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

#include "commands/tools/share_text.h"

namespace beam_exporter::commands {

Progress::Progress(std::string what, std::chrono::nanoseconds duration)
    : what_(std::move(what)), duration_(duration), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::chrono::nanoseconds elapsed) {
  if (!terminal_) return;
  shown_ = true;
  std::cerr << "\r" << what_ << ": " << seconds_text(elapsed)
            << (duration_.count() == 0 ? "" : " of " + seconds_text(duration_))
            << "; Ctrl-C ends it early " << std::flush;
}

void Progress::done() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

}  // namespace beam_exporter::commands
