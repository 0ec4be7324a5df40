#pragma once

#include "app/settings.h"

// Log level and format from the settings. Called by main before the first line is logged, and again
// on each reload, from any thread. Lines go to stderr; what writes them is sampling/log.h.
namespace beam_exporter::app {

void set_up_logging(const Settings::Log& log);

}  // namespace beam_exporter::app
