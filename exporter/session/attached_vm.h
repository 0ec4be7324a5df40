#pragma once

#include <memory>
#include <string>

#include "beam/layout/layout_library.h"
#include "beam/virtual_machine.h"
#include "elf/core_file.h"
#include "os/memory/memory.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::session {

// A VM together with the reader of its memory. Serving, `check` and `check --skid` begin with it.
// One thread.
struct AttachedVm {
  std::unique_ptr<os::Memory> memory;
  // Why memory is read from /proc/PID/mem, or which part of a core is missing; empty: all is well.
  std::string complaint;
  std::unique_ptr<beam::VirtualMachine> vm;  // reads `memory`
};

// Attaches; proves nothing yet. Errors: those of os::open_process_memory and
// beam::attach_known_or_near, with the pid.
os::Result<AttachedVm> attach_to(const os::Process& process, const beam::LayoutLibrary& library);

// The VM whose memory is in `core`, a file of that name. `executable` is its beam.smp; empty: the
// file from which it ran, if that is on this machine.
os::Result<AttachedVm> attach_to_core(elf::CoreFile core, const std::string& name,
                                      const std::string& executable,
                                      const beam::LayoutLibrary& library);

// "OTP 27 (erts 15.2.7, jit), pid 42".
std::string describe(const beam::VirtualMachine& vm);

// Where the names of its functions come from: "its own symbol table", "exported symbols only", or
// the file that has them.
std::string symbols_of(const beam::VirtualMachine& vm);

// Runs every proof (beam/layout_check.h). Error: malformed, with the first proof that failed.
os::Status prove(beam::VirtualMachine& vm);

}  // namespace beam_exporter::session
