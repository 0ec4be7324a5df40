#pragma once

#include <ostream>
#include <string>

#include "verdict/memory_facts.h"

// How `beam_exporter memory` prints what it found. `target` names the VM. Pure.
namespace beam_exporter::commands {

void print_memory(const std::string& target, const verdict::MemoryFacts& facts, std::ostream& out);
// The part of it that needs nothing of /proc: free memory inside carriers, by allocator.
void print_free_in_carriers(const verdict::MemoryFacts& facts, std::ostream& out);

}  // namespace beam_exporter::commands
