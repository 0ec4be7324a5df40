#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/process/memory_limit.h"

// What one look found out about the memory of a VM: composition.h sums it up, memory_rules.h judges
// it. Plain data; bytes, except where a name says otherwise. Absent is not zero.
namespace beam_exporter::verdict {

// What a carrier is good for, by its free memory. A multi-block carrier is nearly empty below a
// quarter: the blocks of four such carriers fit into one. It is well used from three quarters on:
// blocks of many sizes leave so much free. Between the two, its holes are large when one of them
// has half of the free memory: then a new block probably fits.
enum class CarrierUse { nearly_empty, small_holes, large_holes, well_used, single_block };
inline constexpr std::size_t carrier_uses = 5;
inline constexpr std::array<std::string_view, carrier_uses> carrier_use_names = {
    "nearly_empty", "small_holes", "large_holes", "well_used", "single_block"};

// Of a multi-block carrier. `largest`: its largest free block; nullopt: it has too many to look at.
CarrierUse use_of(double bytes, double free, std::optional<double> largest);

// The carriers of one allocator that are used alike, abandoned ones included.
struct CarrierGroup {
  double carriers = 0;  // a count
  double bytes = 0;
  double block_bytes = 0;                       // with the carriers' own headers
  std::optional<double> resident;               // absent: their pages cannot be seen
  double abandoned_free = 0;                    // in carriers that no instance has
  std::map<unsigned, double> free_by_instance;  // of the others

  double free() const { return bytes - block_bytes; }
  // A block may have pages that were never touched, so only bounds are known of the free memory
  // that is resident. Without sight of pages both are free().
  double least_wasted() const;
  double most_wasted() const;
};

struct AllocatorFacts {
  std::string name;  // "eheap_alloc"
  std::array<CarrierGroup, carrier_uses> by_use{};
  double blocks = 0;  // a count, in multi-block carriers

  const CarrierGroup& operator[](CarrierUse use) const {
    return by_use[static_cast<std::size_t>(use)];
  }
  CarrierGroup& operator[](CarrierUse use) { return by_use[static_cast<std::size_t>(use)]; }
  double block_bytes() const;        // in all carriers
  double multi_block_bytes() const;  // of multi-block carriers
  double mean_block() const;         // in multi-block carriers; 0 without blocks
};

struct ProcessFacts {
  std::string id, name;   // "<0.42.0>", "shop_server"; the name may be "?"
  double heap_bytes = 0;  // heaps, heap fragments, messages
  double messages = 0;    // a count
};

struct ProcessesFacts {
  double count = 0;
  double heap_bytes = 0;
  std::optional<ProcessFacts> largest_heap, longest_queue;
};

struct MemoryFacts {
  double resident = 0;
  // The resident memory outside carriers, by the parts of beam_memory_resident_part_bytes.
  std::map<std::string, double> parts;
  bool pages_seen = false;  // false: the part "other" has the carriers too
  std::vector<AllocatorFacts> allocators;
  std::vector<std::string> allocators_off;  // their memory comes from malloc
  std::optional<ProcessesFacts> processes;
  std::optional<os::MemoryLimit> limit;  // absent: none, or it is among `unread`
  double moved = 0;                      // how much resident memory changed during the look
  std::vector<std::string> unread;       // what could not be read, and why

  const AllocatorFacts* allocator(std::string_view name) const;  // nullptr: not there
};

}  // namespace beam_exporter::verdict
