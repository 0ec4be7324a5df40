#pragma once

#include "commands/tools/core_choice.h"
#include "commands/tools/tool.h"
#include "session/attached_vm.h"

namespace beam_exporter::commands {

// The VM that the settings choose, or that of the core that `choice` names, attached to and proven.
// Errors: those of beam::find_target, session::attach_to, attach_to_core and prove.
os::Result<session::AttachedVm> attach(const ToolContext& context, CoreChoice* choice = nullptr);

}  // namespace beam_exporter::commands
