#pragma once

#include "beam/virtual_machine.h"
#include "os/result.h"
#include "profile/process_profile.h"

namespace beam_exporter::session {

// Looks once at the stacks, the status and the heaps of all processes. Any thread: it reads the
// VM's code and atoms for itself, and shares with the observing thread only what never changes in a
// VM. It works also on a VM that is stopped. Error: unreadable.
os::Result<profile::ProcessProfile> process_profile(const beam::VirtualMachine& vm);

}  // namespace beam_exporter::session
