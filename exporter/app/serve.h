#pragma once

#include "app/command_line.h"

namespace beam_exporter::app {

// The exporter itself: observes and serves until SIGTERM or SIGINT; SIGHUP and /-/reload read the
// configuration again. Returns the exit code. Called by main, once, before any other thread exists.
int serve(const CommandLine& command_line, const Settings& settings);

}  // namespace beam_exporter::app
