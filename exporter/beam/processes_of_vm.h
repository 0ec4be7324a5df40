#pragma once

#include <functional>
#include <optional>

#include "beam/processes/process_scan.h"
#include "beam/processes/process_table.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

// The table of processes of a VM. nullopt: it cannot be found or read. One thread.
std::optional<ProcessTable> process_table(const VirtualMachine& vm);

// scan_processes() of process_scan.h for a VM. Any thread.
std::optional<ProcessScan> scan_processes(const VirtualMachine& vm,
                                          const std::function<void(const ScannedProcess&)>& take);

}  // namespace beam_exporter::beam
