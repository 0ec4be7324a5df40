#pragma once

#include <vector>

#include "beam/layout_check.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

// Checks the parts of a layout on which nothing but their own figures depends: "io", "reductions",
// "ets_tables" (schedulers/counter_proofs.h), "allocators" and "carriers", whose sums must be those
// that the allocators count. Where one fails, its figures are left out. Walks all carriers: it may
// take a second on a VM of 100 GB.
std::vector<CheckResult> check_parts(const VirtualMachine& vm);

// The same of what only looks at processes need: "held_memory" and "held_binaries"
// (held/held_proof.h). Empty where the layout tells neither. Reads the whole table of processes.
std::vector<CheckResult> check_held(const VirtualMachine& vm);

}  // namespace beam_exporter::beam
