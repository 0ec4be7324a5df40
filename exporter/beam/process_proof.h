#pragma once

#include "beam/layout_check.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

// The checks "processes" and "process_fields" prove that the layout fits the process table and the
// process structs. The VM runs meanwhile, so only a process that did not change counts: its slot
// held it before and after we read it, and two reads agree. A look that proves nothing is repeated:
// until a look proves both, until looks contradict the layout (three times the same when nothing
// changes, else twenty times in a row), or until a bound of looks and slots. Takes half a
// millisecond on a VM of ordinary size.
std::vector<CheckResult> prove_processes(VirtualMachine& vm);

}  // namespace beam_exporter::beam
