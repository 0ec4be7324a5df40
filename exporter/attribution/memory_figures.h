#pragma once

#include "attribution/vm_figures.h"
#include "beam/allocators.h"
#include "beam/carrier_walk.h"
#include "beam/process_scan.h"

// From what was read of the VM to what is served. Pure. Called by the collectors' thread.
namespace beam_exporter::attribution {

AllocatorSection allocator_section(const beam::AllocatorSet& set,
                                   const std::vector<beam::AllocatorStatistics>& statistics);

// One entry for each allocator of the set that has multi-block carriers.
std::vector<FragmentationFigures> fragmentation(const beam::AllocatorSet& set,
                                                const beam::CarrierWalk& walk);

// Every process once in either histogram; the tops are filled by whoever can name processes.
ProcessSection process_section(const beam::ProcessScan& scan);

// Indices into scan.processes of the `wanted` largest by `value`, descending; zeros are left out.
std::vector<std::size_t> largest(const beam::ProcessScan& scan, std::size_t wanted,
                                 std::uint64_t beam::ScannedProcess::*value);

}  // namespace beam_exporter::attribution
