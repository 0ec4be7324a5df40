#pragma once

#include "beam/layout_check.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

// The checks "processes" and "process_fields": they prove that the layout fits the process table
// and the structs it leads to. The VM goes on meanwhile, so each claim is made of one process that
// stood still: its slot held it before and after it was read, and both reads agree. Nothing is
// claimed of one that moved. A look that proves nothing is repeated, until one does, until
// contradictions stand (the same three times while nothing moves, twenty in a row in motion), or
// until a bound of looks and slots. Half a millisecond on a VM of ordinary size.
std::vector<CheckResult> prove_processes(VirtualMachine& vm);

}  // namespace beam_exporter::beam
