#include "collectors/memory_figures.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace beam_exporter::collectors {

namespace {

double number(std::uint64_t value) { return static_cast<double>(value); }

totals::CarrierTotals totals_of(const beam::CarrierCounts& counts) {
  return {number(counts.carriers), number(counts.carrier_bytes), number(counts.blocks),
          number(counts.block_bytes)};
}

const std::vector<double> heap_bounds = {1024.,     4096.,      16384.,      65536.,
                                         262144.,   1048576.,   4194304.,    16777216.,
                                         67108864., 268435456., 1073741824., 4294967296.};
const std::vector<double> queue_bounds = {0, 1, 10, 100, 1000, 10000, 100000, 1000000};
const std::vector<double> ratio_bounds = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};

// sys_alloc is malloc itself. test_alloc is off except in ERTS's own tests
// (set_default_test_alloc_opts in erl_alloc.c, OTP 25 and 27). The first name in the list belongs
// to no allocator.
bool can_be_enabled(const std::string& allocator) {
  return !allocator.empty() && allocator != "sys_alloc" && allocator != "test_alloc";
}

}  // namespace

totals::AllocatorSection allocator_section(
    const beam::AllocatorSet& set, const std::vector<beam::AllocatorStatistics>& statistics) {
  struct Sums {
    beam::CarrierCounts multi_block, single_block, pool;
    bool any = false;
  };
  std::vector<Sums> sums(set.names.size());
  totals::AllocatorSection section;
  for (std::size_t k = 0; k < set.instances.size() && k < statistics.size(); ++k) {
    const auto& instance = set.instances[k];
    const auto& now = statistics[k];
    auto& sum = sums[instance.allocator];
    sum.any = true;
    sum.multi_block += now.multi_block;
    sum.single_block += now.single_block;
    sum.pool += now.pool;
    section.instances.push_back(
        {set.names[instance.allocator], instance.index,
         number(now.multi_block.carrier_bytes + now.single_block.carrier_bytes),
         number(now.multi_block.block_bytes + now.single_block.block_bytes), number(now.free_bytes),
         number(now.largest_free)});
  }
  for (std::size_t a = 0; a < sums.size(); ++a) {
    if (can_be_enabled(set.names[a])) section.enabled[set.names[a]] = sums[a].any;
    if (!sums[a].any) continue;
    auto pool = totals_of(sums[a].pool);
    pool.carriers.reset();
    section.allocators.push_back(
        {set.names[a], {totals_of(sums[a].multi_block), totals_of(sums[a].single_block), pool}});
    for (const auto& kind : section.allocators.back().by_kind) {
      section.carrier_bytes += kind.carrier_bytes;
      section.block_bytes += kind.block_bytes;
    }
  }
  return section;
}

std::vector<totals::FragmentationFigures> fragmentation(const beam::AllocatorSet& set,
                                                        const beam::CarrierWalk& walk) {
  struct Sums {
    std::uint64_t carriers = 0, pooled = 0, free = 0, largest = 0, sum_of_largest = 0;
    bool largest_known = true;
    totals::Histogram utilization = totals::empty_histogram(ratio_bounds);
  };
  std::vector<Sums> sums(set.names.size());
  for (const auto& carrier : walk.carriers) {
    if (carrier.single_block) continue;
    auto& sum = sums[carrier.allocator];
    ++sum.carriers;
    if (carrier.pooled) ++sum.pooled;
    sum.free += carrier.free();
    if (!carrier.largest) sum.largest_known = false;
    sum.largest = std::max(sum.largest, carrier.largest.value_or(0));
    sum.sum_of_largest += carrier.largest.value_or(0);
    add_observation(sum.utilization, number(carrier.used) / number(carrier.size));
  }
  std::vector<totals::FragmentationFigures> figures;
  std::vector<bool> enabled(set.names.size());
  for (const auto& instance : set.instances) enabled[instance.allocator] = true;
  for (std::size_t a = 0; a < sums.size(); ++a) {
    const auto& sum = sums[a];
    if (!enabled[a]) continue;
    totals::FragmentationFigures out{.allocator = set.names[a],
                                     .carriers = number(sum.carriers),
                                     .pooled_carriers = number(sum.pooled),
                                     .free_bytes = number(sum.free),
                                     .utilization = sum.utilization};
    if (sum.largest_known) out.largest_free_block_bytes = number(sum.largest);
    if (sum.largest_known && sum.free > 0) {
      out.fragmentation_ratio = 1 - number(sum.largest) / number(sum.free);
      out.carrier_fragmentation_ratio = 1 - number(sum.sum_of_largest) / number(sum.free);
    }
    figures.push_back(std::move(out));
  }
  return figures;
}

ProcessTally::ProcessTally(std::size_t most_largest)
    : section_{.heap_bytes = totals::empty_histogram(heap_bounds),
               .message_queue_length = totals::empty_histogram(queue_bounds)},
      heaps_(most_largest, &beam::ScannedProcess::heap_bytes),
      queues_(most_largest, &beam::ScannedProcess::messages) {}

void ProcessTally::add(const beam::ScannedProcess& process) {
  add_observation(section_.heap_bytes, number(process.heap_bytes));
  add_observation(section_.message_queue_length, number(process.messages));
  heaps_.add(process);
  queues_.add(process);
}

void ProcessTally::Largest::add(const beam::ScannedProcess& process) {
  if (process.*value_ == 0 || most_ == 0) return;
  if (heap_.size() == most_) {
    if (process.*value_ <= heap_.front().*value_) return;
    std::ranges::pop_heap(heap_, std::ranges::greater{}, value_);
    heap_.pop_back();
  }
  heap_.push_back(process);
  std::ranges::push_heap(heap_, std::ranges::greater{}, value_);
}

std::vector<beam::ScannedProcess> ProcessTally::Largest::descending() const {
  auto all = heap_;
  std::ranges::sort(all, std::ranges::greater{}, value_);
  return all;
}

}  // namespace beam_exporter::collectors
