#pragma once

#include <vector>

#include "beam/layout/layout_library.h"
#include "os/result.h"
#include "settings/settings.h"
#include "web/listen_address.h"

namespace beam_exporter::commands {

// What judge_settings has loaded and looked up, so that nobody does it a second time.
struct JudgedSettings {
  beam::LayoutLibrary layouts;
  std::vector<web::ListenAddress> listen_addresses;
};

// Decides whether an exporter can start with these settings on this machine. load_settings has
// checked each value alone. Called before serve, --once, check and --check-config, and by a reload.
// Errors, one line: invalid_argument (a folder of layouts or symbols that cannot be read, a listen
// address that cannot be served), not_found (the host name of a listen address is not known now).
// Any thread.
os::Result<JudgedSettings> judge_settings(const settings::Settings& settings);

}  // namespace beam_exporter::commands
