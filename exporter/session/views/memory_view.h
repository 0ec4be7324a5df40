#pragma once

#include <string>

#include "beam/virtual_machine.h"
#include "os/result.h"

namespace beam_exporter::session {

// Looks once at the memory of a VM and judges it: the JSON of verdict/memory_json.h. Any thread, as
// collectors::look_at_memory. Error: gone.
os::Result<std::string> memory_view(const beam::VirtualMachine& vm);

}  // namespace beam_exporter::session
