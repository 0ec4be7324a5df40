#pragma once

#include <optional>
#include <string>
#include <vector>

#include "beam/processes/process_id.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::session {

// What can be told of a process while a scheduler runs it.
struct RunningProcess {
  std::string id, name, status;  // as in ProcessView; name "?": it cannot be read
  // Process.current: the BIF or NIF that it called last, "stuck:hold/1", or the function in which
  // it gave its scheduler up, whichever was later (instr_bif.cpp and process_main.cpp in
  // beam/jit/x86, OTP 25 and 27). It may have returned. "": none, or not readable.
  std::string last_seen_in;
  // The frames that its stack had when C code saw it last, the newest first. The function that runs
  // is not among them, and the rest may be stale.
  std::vector<std::string> frames;
};

// The process whose struct is at `process`. Needs a refresh() of vm.code() for its frames. nullopt:
// there is no process at this address. One thread.
std::optional<RunningProcess> running_process(beam::VirtualMachine& vm,
                                              const beam::ProcessIdForm& ids, os::Address process);

}  // namespace beam_exporter::session
