#pragma once

#include "beam/virtual_machine.h"
#include "verdict/memory_facts.h"

namespace beam_exporter::collectors {

// Looks once at all that the memory of a VM consists of: its allocators and carriers, its resident
// pages, its processes, its control group. Nothing of it needs the VM to run. What cannot be read
// is named in the facts. For the tools, and for whoever asks a running exporter. Any thread: it
// shares with others only what never changes in a VM.
verdict::MemoryFacts look_at_memory(const beam::VirtualMachine& vm);

}  // namespace beam_exporter::collectors
