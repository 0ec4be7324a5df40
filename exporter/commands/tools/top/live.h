#pragma once

#include <chrono>

#include "commands/tools/interrupt.h"
#include "commands/tools/top/screen.h"
#include "session/recording.h"

namespace beam_exporter::commands {

// Shows each interval on the screen, and does what keys ask for, until the user quits, `duration`
// is over or the VM ends. Errors: gone, when it has ended; those of Recording::take.
os::Status show_live(session::Recording& recording, const Interrupt& interrupt, Screen& screen,
                     const TopChoice& choice, std::chrono::nanoseconds interval,
                     std::chrono::nanoseconds duration);

}  // namespace beam_exporter::commands
