#pragma once

#include "settings/settings.h"

// Sets log level and format from the settings. Called by main before the first line is logged, and
// again on each reload, from any thread. log/log.h writes the lines to stderr.
namespace beam_exporter::commands {

void set_up_logging(const settings::Settings::Log& log);

}  // namespace beam_exporter::commands
