#pragma once

#include <optional>
#include <string>

#include "beam/processes/process_scan.h"
#include "beam/terms/atoms.h"

namespace beam_exporter::beam {

// The name of a process for people: its registered name; else its label (proc_lib:set_label/1, OTP
// 27, and Elixir's Process.set_label/1); else its first function, as "module:function/arity" (for a
// process of proc_lib, the function of '$initial_call'). Reads the process dictionary and, for a
// label, a bounded part of the heap. nullopt when not even the first function has a readable name.
// One thread.
std::optional<std::string> process_name(const Layout& layout, const os::Memory& memory,
                                        Atoms& atoms, const ScannedProcess& process);

// Its registered name alone, without "Elixir."; nullopt: it has none, or it cannot be read.
std::optional<std::string> registered_name(const Layout& layout, const os::Memory& memory,
                                           Atoms& atoms, const ScannedProcess& process);

}  // namespace beam_exporter::beam
