#pragma once

#include <string>

#include "commands/tools/tool.h"

namespace beam_exporter::beam {
class VirtualMachine;
}

// What `beam_exporter pstack` tells of processes, wherever they are. One thread.
namespace beam_exporter::commands {

// The stacks of all processes, equal ones together, the most frequent first; at most `limit`.
// Errors: those of session::process_profile.
os::Status print_all_processes(const ToolContext& context, beam::VirtualMachine& vm,
                               std::size_t limit);

// One process: `who` as in session::process_view. Errors: those of process_view.
os::Status print_one_process(const ToolContext& context, beam::VirtualMachine& vm,
                             const std::string& who);

}  // namespace beam_exporter::commands
