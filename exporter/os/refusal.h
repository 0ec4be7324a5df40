#pragma once

#include <string>

#include "os/refusal_facts.h"

namespace beam_exporter::os {

// Why the kernel refuses us something, as far as can be told, and the mend: the end of one line of
// log. They name what we lack and nothing that we have.

// perf_event_open of a thread of the VM.
std::string perf_refusal(const RefusalFacts& facts);

// Loading a BPF program.
std::string bpf_refusal(const RefusalFacts& facts);

// Looking into the VM's process. Only the mend: "run as the VM's user or add CAP_SYS_PTRACE".
std::string ptrace_mend(const RefusalFacts& facts);

}  // namespace beam_exporter::os
