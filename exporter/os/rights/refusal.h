#pragma once

#include <string>

#include "os/rights/refusal_facts.h"

namespace beam_exporter::os {

// Why the kernel refuses us something, as far as we can see, and how to fix it: text for the end of
// a log line. It names only what we lack.

// For perf_event_open on a thread of the VM.
std::string perf_refusal(const RefusalFacts& facts);

// For loading a BPF program.
std::string bpf_refusal(const RefusalFacts& facts);

// For loading or attaching a BPF program of type tracing, which the tick source uses.
std::string tick_refusal(const RefusalFacts& facts);

}  // namespace beam_exporter::os
