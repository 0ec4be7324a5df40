#pragma once

#include "verdict/memory_facts.h"

// A VM of 1 GiB without anything to mend, and what tests change in it.
namespace beam_exporter::verdict {

constexpr double test_mib = 1024 * 1024;

// Carriers with so many MiB, of which so many are free; all pages are in RAM.
inline CarrierGroup group(double mib, double free) {
  return {.carriers = mib,
          .bytes = mib * test_mib,
          .block_bytes = (mib - free) * test_mib,
          .resident = mib * test_mib};
}

inline AllocatorFacts allocator(std::string name, CarrierUse use, CarrierGroup carriers,
                                double block = 1000) {
  AllocatorFacts facts{.name = std::move(name), .blocks = carriers.block_bytes / block};
  facts[use] = std::move(carriers);
  return facts;
}

inline MemoryFacts healthy() {
  MemoryFacts facts{.resident = 1024 * test_mib, .pages_seen = true};
  facts.parts = {{"other", 50 * test_mib},
                 {"c_heap", 4 * test_mib},
                 {"files", 10 * test_mib},
                 {"mseg_cache", 50 * test_mib}};
  facts.allocators = {allocator("eheap_alloc", CarrierUse::well_used, group(700, 70)),
                      allocator("binary_alloc", CarrierUse::well_used, group(210, 20))};
  facts.processes = ProcessesFacts{.count = 100, .heap_bytes = 600 * test_mib};
  facts.processes->largest_heap = {"<0.42.0>", "shop", 60 * test_mib, 0};
  facts.processes->longest_queue = {"<0.43.0>", "till", test_mib, 100};
  facts.limit = os::MemoryLimit{2, "/shop", std::uint64_t{2} << 30, std::uint64_t{1} << 30, 0};
  return facts;
}

}  // namespace beam_exporter::verdict
