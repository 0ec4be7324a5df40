#pragma once

#include <string>
#include <vector>

#include "verdict/memory_facts.h"

namespace beam_exporter::verdict {

// One part of resident memory.
struct Part {
  std::string name;  // "blocks", "free_in_carriers", or a part of beam_memory_resident_part_bytes
  std::string allocator;  // of blocks; else empty
  std::string meaning;
  double bytes = 0;
  // How far `bytes` may be off: the VM does not tell which pages of a block it has touched. Blocks
  // may be less by so much, free memory more.
  double may_be_off = 0;
};

// What resident memory is made of; the parts add up to facts.resident. In descending order. Where
// pages cannot be seen, blocks and free memory are not told apart: they are in the part "other".
// Pure.
std::vector<Part> composition(const MemoryFacts& facts);

}  // namespace beam_exporter::verdict
