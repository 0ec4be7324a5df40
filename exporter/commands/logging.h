#pragma once

#include "settings/settings.h"

// Log level and format from the settings. Called by main before the first line is logged, and again
// on each reload, from any thread. Lines go to stderr; what writes them is log/log.h.
namespace beam_exporter::commands {

void set_up_logging(const settings::Settings::Log& log);

}  // namespace beam_exporter::commands
