#pragma once

#include <string>

#include "os/rights/refusal_facts.h"

namespace beam_exporter::os {

// Why the kernel refuses us something, as far as can be told, and the mend: the end of one line of
// log. They name what we lack and nothing that we have.

// perf_event_open of a thread of the VM.
std::string perf_refusal(const RefusalFacts& facts);

// Loading a BPF program.
std::string bpf_refusal(const RefusalFacts& facts);

// Loading or attaching a BPF program of type tracing, as the tick source has it.
std::string tick_refusal(const RefusalFacts& facts);

}  // namespace beam_exporter::os
