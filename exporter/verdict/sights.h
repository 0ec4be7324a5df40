#pragma once

#include "verdict/memory_rules.h"

// What the rules look at. Each returns one sight for each thing of its kind, however small. Pure.
// Used by the table of rules.
namespace beam_exporter::verdict::sights {

// Free memory in carriers of one kind; the measure is its part of the allocator's multi-block
// carriers. The words: allocator, letter (of its flags), where (abandoned or not, which instance).
// An allocator of large blocks is left out: it is for large_blocks.
std::vector<Sight> idle_heaps(const MemoryFacts& facts);
std::vector<Sight> idle_binaries(const MemoryFacts& facts);
std::vector<Sight> idle_others(const MemoryFacts& facts);
std::vector<Sight> holes_in_heaps(const MemoryFacts& facts);
std::vector<Sight> holes_in_binaries(const MemoryFacts& facts);
std::vector<Sight> holes_in_others(const MemoryFacts& facts);
std::vector<Sight> unused_room(const MemoryFacts& facts);
// The same over all carriers that are not well used, of an allocator whose blocks are so large that
// each could have a carrier of its own. Words: also mean, and sbct (KiB), sbct_bytes.
std::vector<Sight> large_blocks(const MemoryFacts& facts);

// The measure of these is the part of the resident memory.
std::vector<Sight> segment_cache(const MemoryFacts& facts);
std::vector<Sight> malloc_memory(const MemoryFacts& facts);
std::vector<Sight> malloc_instead_of_allocators(const MemoryFacts& facts);  // word: off
std::vector<Sight> libraries(const MemoryFacts& facts);

std::vector<Sight> binaries_beside_heaps(const MemoryFacts& facts);  // bytes of both; word: heaps
std::vector<Sight> one_process(const MemoryFacts& facts);            // its part of all heaps
std::vector<Sight> long_mailbox(const MemoryFacts& facts);           // messages
std::vector<Sight> near_limit(const MemoryFacts& facts);             // what is held of the limit

}  // namespace beam_exporter::verdict::sights
