#pragma once

#include "commands/command_line.h"
#include "commands/judge_settings.h"

namespace beam_exporter::commands {

// The exporter itself: observes and serves until SIGTERM or SIGINT. SIGHUP and /-/reload read the
// configuration again. `judged` is what judge_settings returned for `settings`. Returns the exit
// code. main calls it once, before any other thread exists.
int serve(const CommandLine& command_line, const settings::Settings& settings,
          JudgedSettings judged);

}  // namespace beam_exporter::commands
