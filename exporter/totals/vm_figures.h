#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "beam/schedulers/vitals.h"
#include "totals/histogram.h"

// What the timer-driven collectors have read from the VM, ready to be served: part of a Snapshot.
// Each section is as old as the last success of its collector, and absent before the first success.
// Plain data.
namespace beam_exporter::totals {

enum class CarrierKind { multi_block, single_block, pool };
inline constexpr std::array<std::string_view, 3> carrier_kind_names = {"mbcs", "sbcs", "mbcs_pool"};

struct CarrierTotals {
  std::optional<double> carriers;  // for the pool: counted by the carrier walk
  double carrier_bytes = 0;
  double blocks = 0;
  double block_bytes = 0;
};

struct AllocatorFigures {
  std::string allocator;  // "eheap_alloc"
  std::array<CarrierTotals, carrier_kind_names.size()> by_kind{};
};

struct AllocatorInstanceFigures {
  std::string allocator;
  unsigned instance = 0;
  double carrier_bytes = 0;  // of its multi-block and single-block carriers
  double block_bytes = 0;
  double free_bytes = 0;  // in its multi-block carriers
  double largest_free_block_bytes = 0;
};

struct AllocatorSection {
  std::vector<AllocatorFigures> allocators;
  std::vector<AllocatorInstanceFigures> instances;
  std::map<std::string, bool> enabled;  // every allocator that can be enabled
  double carrier_bytes = 0;
  double block_bytes = 0;
  std::optional<double> cached_segment_bytes;  // carriers gave it back, the VM keeps it; virtual
};

// Of all multi-block carriers of one allocator, abandoned ones included.
struct FragmentationFigures {
  std::string allocator;
  double carriers = 0;
  double pooled_carriers = 0;
  double free_bytes = 0;
  std::optional<double> largest_free_block_bytes;  // these three: absent when not known
  std::optional<double> fragmentation_ratio;       // these two: also absent when nothing is free
  std::optional<double> carrier_fragmentation_ratio;
  Histogram utilization;  // one observation per carrier
};

struct MemorySection {  // bytes of the VM as a process
  double resident = 0;
  double virtual_size = 0;
};

// Where the resident pages are; the parts sum to `resident`. It was read a moment before or after
// MemorySection's.
struct ResidentParts {
  double resident = 0;
  double anonymous = 0;
  std::optional<double> carriers;  // pages inside carriers; absent without the right to see pages
  std::map<std::string, double> by_part;
};

struct NamedProcess {
  std::string name;
  double value = 0;
};

struct ProcessSection {
  Histogram heap_bytes, message_queue_length;
  double unmeasured_messages = 0;                           // not in heap_bytes
  std::vector<NamedProcess> largest_heaps, longest_queues;  // descending, each name once
};

struct VmFigures {
  std::optional<AllocatorSection> allocators;
  std::optional<std::vector<FragmentationFigures>> fragmentation;
  std::optional<MemorySection> memory;
  std::optional<ResidentParts> resident_parts;
  std::optional<beam::Vitals> vitals;
  std::optional<ProcessSection> processes;
};

}  // namespace beam_exporter::totals
