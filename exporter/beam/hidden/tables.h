#pragma once

#include <optional>

#include "beam/hidden/hidden_vm.h"

namespace beam_exporter::beam {

// erts_atom_table: the IndexTable whose hash table has the name "atom_tab" (init_atom_table in
// atom.c, OTP 25 to 29).
std::optional<os::Address> find_atom_table(const HiddenVm& vm);

struct ProcessAndPortTable {
  std::optional<os::Address> processes, ports;
};
// erts_proc and erts_port: tables of the same form. What stands in the first of them begins with
// the id of a process, in the other with that of a port.
ProcessAndPortTable find_process_and_port_table(const HiddenVm& vm);

}  // namespace beam_exporter::beam
