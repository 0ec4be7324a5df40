#pragma once

#include "beam/layout/layout_library.h"
#include "os/result.h"
#include "settings/settings.h"

namespace beam_exporter::commands {

// The one judge of whole settings: can an exporter start with them on this machine? Each value is
// good on its own by then (load_settings). Asked by serve, --once, check, --check-config and by a
// reload. Returns the layouts, whose reading is part of the proof. Errors, one line:
// invalid_argument (a folder of layouts that cannot be read, a listen address that cannot be
// served), not_found (a host name of a listen address is not known now). Any thread.
os::Result<beam::LayoutLibrary> judge_settings(const settings::Settings& settings);

}  // namespace beam_exporter::commands
