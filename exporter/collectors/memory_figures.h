#pragma once

#include <vector>

#include "beam/allocators/allocators.h"
#include "beam/allocators/carrier_walk.h"
#include "beam/processes/process_scan.h"
#include "totals/vm_figures.h"

// Turns what was read from the VM into what is served. Pure. Called by the collectors' thread.
namespace beam_exporter::collectors {

totals::AllocatorSection allocator_section(
    const beam::AllocatorSet& set, const std::vector<beam::AllocatorStatistics>& statistics);

// One entry for each allocator of the set that has multi-block carriers.
std::vector<totals::FragmentationFigures> fragmentation(const beam::AllocatorSet& set,
                                                        const beam::CarrierWalk& walk);

// Counts every process of a scan once in each histogram, and keeps those with the largest values.
// Its memory does not grow with the number of processes.
class ProcessTally {
 public:
  // Keeps `most_largest` processes for each list.
  explicit ProcessTally(std::size_t most_largest);

  void add(const beam::ScannedProcess& process);

  // Without the lists of the largest processes, which need names, and without the values that only
  // the scan knows. The collector adds both.
  const totals::ProcessSection& section() const { return section_; }
  // In descending order; zeros are left out.
  std::vector<beam::ScannedProcess> largest_heaps() const { return heaps_.descending(); }
  std::vector<beam::ScannedProcess> longest_queues() const { return queues_.descending(); }

 private:
  class Largest {
   public:
    Largest(std::size_t most, std::uint64_t beam::ScannedProcess::*value)
        : most_(most), value_(value) {}
    void add(const beam::ScannedProcess& process);
    std::vector<beam::ScannedProcess> descending() const;

   private:
    std::size_t most_;
    std::uint64_t beam::ScannedProcess::*value_;
    std::vector<beam::ScannedProcess> heap_;  // a heap: the smallest is in front
  };

  totals::ProcessSection section_;
  Largest heaps_, queues_;
};

}  // namespace beam_exporter::collectors
