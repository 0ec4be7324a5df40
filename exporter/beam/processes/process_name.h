#pragma once

#include <optional>
#include <string>

#include "beam/processes/process_scan.h"
#include "beam/terms/atoms.h"

namespace beam_exporter::beam {

// What people call a process: its registered name; else its label (proc_lib:set_label/1, OTP 27,
// and Elixir's Process.set_label/1); else the function it began with, the real one of
// '$initial_call' for processes of proc_lib; "module:function/arity". Reads the process dictionary
// and, for a label, a bounded part of its heap. nullopt when not even the initial call can be
// named. One thread.
std::optional<std::string> process_name(const Layout& layout, const os::Memory& memory,
                                        Atoms& atoms, const ScannedProcess& process);

}  // namespace beam_exporter::beam
