#pragma once

#include <functional>

#include "beam/code/stack.h"
#include "beam/processes/process_fields.h"
#include "beam/processes/process_scan.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

struct ProcessStack {
  ProcessFields process;
  ScannedProcess figures;  // heap, messages, names, read a moment later
  // Where it goes on, and its callers. Empty while it runs (ProcessFields::running): it moves then.
  ErlangStack stack;
};

struct ProcessStackScan {
  std::uint64_t processes = 0;            // taken
  std::uint64_t torn = 0;                 // ended, or ran, while they were read: not taken
  std::uint64_t unmeasured_messages = 0;  // as in ProcessScan
  ProcessIdForm ids;
};

// Reads the Erlang stack of every process, and calls `take` once for each. A process that waits
// does not change its stack. So a stack is taken if the process was the same before and after the
// stack was read; otherwise it is read a second time. The middle of a deep stack is left out
// (ErlangStack::gap). It also works on a VM that is stopped or stuck. `code` is the caller's, after
// a refresh(). nullopt: the table of processes cannot be read. One thread for each `code`.
std::optional<ProcessStackScan> scan_process_stacks(
    const VirtualMachine& vm, CodeIndex& code,
    const std::function<void(const ProcessStack&)>& take);

}  // namespace beam_exporter::beam
