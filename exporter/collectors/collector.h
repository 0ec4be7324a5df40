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

// A look at the whole VM on a timer of its own. To add one: a file with a class like those beside
// this, and its two lines in registry.h.
namespace beam_exporter::collectors {

// What several collectors read the allocators by. One thread.
struct AllocatorAccess {
  AllocatorAccess(const beam::VirtualMachine& vm, beam::AllocatorSet found)
      : set(std::move(found)),
        reader(vm.layout(), vm.memory(), set),
        segments(vm.layout(), vm.static_data(), vm.memory()) {}
  AllocatorAccess(const AllocatorAccess&) = delete;  // its reader refers to its set
  AllocatorAccess& operator=(const AllocatorAccess&) = delete;

  beam::AllocatorSet set;
  beam::AllocatorReader reader;
  beam::Segments segments;
};

// What is looked at, and who counts the looks. Both outlive the collectors.
struct Subject {
  const beam::VirtualMachine* vm = nullptr;
  totals::CollectorTotals* totals = nullptr;
  std::shared_ptr<AllocatorAccess> allocators;  // null: not to be found in this VM
};

// One for each attached VM. Every call comes from the collectors' thread: a collector owns its
// readers and shares nothing with the observing thread but what of the VM never changes.
class Collector {
 public:
  virtual ~Collector() = default;

  // How often it looks; nullopt: it is switched off.
  virtual std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const = 0;

  // Looks once and writes its sections of `figures`. False: the VM could not be read, or changed
  // too fast; what was written before then stays as it is.
  virtual bool collect(const settings::Settings& settings, totals::VmFigures& figures) = 0;

  // Takes away what it once wrote and `settings` do not ask for any more.
  virtual void clear(const settings::Settings& settings, totals::VmFigures& figures) const = 0;
};

}  // namespace beam_exporter::collectors
