#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "beam/allocators/allocators.h"
#include "beam/allocators/segments.h"
#include "beam/virtual_machine.h"
#include "settings/settings.h"
#include "totals/collector_totals.h"
#include "totals/vm_figures.h"

// A collector looks at the whole VM on its own timer. A new collector needs a file with a class
// like those in this folder, and its two lines in registry.h.
namespace beam_exporter::collectors {

// The allocators and their reader, which several collectors use. One thread.
struct AllocatorAccess {
  AllocatorAccess(const beam::VirtualMachine& vm, beam::AllocatorSet found)
      : set(std::move(found)),
        reader(vm.layout(), vm.memory(), set),
        segments(vm.layout(), vm.static_data(), vm.memory()) {}
  AllocatorAccess(const AllocatorAccess&) = delete;  // reader refers to set
  AllocatorAccess& operator=(const AllocatorAccess&) = delete;

  beam::AllocatorSet set;
  beam::AllocatorReader reader;
  beam::Segments segments;
};

// What the collectors look at, and who counts their runs. Both outlive the collectors.
struct Subject {
  const beam::VirtualMachine* vm = nullptr;
  totals::CollectorTotals* totals = nullptr;
  std::shared_ptr<AllocatorAccess> allocators;  // null: not found in this VM
};

// Made once for each attached VM. Every call comes from the collectors' thread. A collector owns
// its readers; it shares with the observing thread only what never changes in a VM.
class Collector {
 public:
  virtual ~Collector() = default;

  // The interval between looks; nullopt: the collector is switched off.
  virtual std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const = 0;

  // Looks once and writes its sections of `figures`. False: the VM could not be read, or it changed
  // too fast. A section that was not written keeps its old value.
  virtual bool collect(const settings::Settings& settings, totals::VmFigures& figures) = 0;

  // Removes the sections that it once wrote and that `settings` no longer ask for.
  virtual void clear(const settings::Settings& settings, totals::VmFigures& figures) const = 0;
};

}  // namespace beam_exporter::collectors
