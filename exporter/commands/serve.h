#pragma once

#include "beam/layout/layout_library.h"
#include "commands/command_line.h"

namespace beam_exporter::commands {

// The exporter itself: observes and serves until SIGTERM or SIGINT; SIGHUP and /-/reload read the
// configuration again. `layouts` are those of judge_settings. Returns the exit code. Called by
// main, once, before any other thread exists.
int serve(const CommandLine& command_line, const settings::Settings& settings,
          beam::LayoutLibrary layouts);

}  // namespace beam_exporter::commands
