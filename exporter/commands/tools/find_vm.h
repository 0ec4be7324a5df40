#pragma once

#include "beam/layout/layout_library.h"
#include "os/process/process.h"
#include "os/result.h"
#include "settings/settings.h"

namespace beam_exporter::commands {

// The process that the settings choose, for commands that look at it once: they wait until the
// configured debuginfod servers have sent the symbols that are missing. Errors: those of
// beam::find_target.
os::Result<os::Process> find_vm(const settings::Settings& settings,
                                const beam::LayoutLibrary& layouts);

}  // namespace beam_exporter::commands
