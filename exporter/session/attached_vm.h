#pragma once

#include <memory>
#include <string>

#include "beam/layout/layout_library.h"
#include "beam/virtual_machine.h"
#include "os/memory/memory.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::session {

// A VM together with the way in which its memory is read: what serving, `check` and `check --skid`
// begin with. One thread.
struct AttachedVm {
  std::unique_ptr<os::Memory> memory;
  std::string complaint;  // why the memory is read from /proc/PID/mem; empty: it is not
  std::unique_ptr<beam::VirtualMachine> vm;  // reads `memory`
};

// Not proven yet. Errors: as os::open_process_memory and VirtualMachine::attach, with the pid.
os::Result<AttachedVm> attach_to(const os::Process& process, const beam::LayoutLibrary& library);

// Runs every proof (beam/layout_check.h). Error: malformed, with the first one that failed.
os::Status prove(beam::VirtualMachine& vm);

}  // namespace beam_exporter::session
