#pragma once

#include <string>

#include "verdict/memory_facts.h"

namespace beam_exporter::verdict {

// The facts, what they mean and what helps, as JSON that ends with a line end: what `beam_exporter
// memory --format=json` prints and /api/v1/memory answers. `target` names the VM. A member that is
// not known is absent or null, never 0. Pure.
std::string memory_json(const std::string& target, const MemoryFacts& facts);

}  // namespace beam_exporter::verdict
