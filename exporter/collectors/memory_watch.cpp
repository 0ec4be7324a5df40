#include "collectors/memory_watch.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "beam/allocators/segments.h"
#include "beam/processes/process_name.h"
#include "collectors/memory_figures.h"
#include "collectors/resident_parts.h"
#include "log/log.h"
#include "os/monotonic_clock.h"
#include "os/process/process_stat.h"
#include "os/supervision.h"

namespace beam_exporter::collectors {

namespace {

// Processes that share a name count as one, the largest: so many are named for each place on a
// list.
constexpr std::size_t named_for_each_place = 8;

}  // namespace

// What the thread owns: readers with places of their own, nothing shared with the observing thread
// but what of the VM never changes.
class MemoryWatch::Collectors {
 public:
  Collectors(const beam::VirtualMachine& vm, totals::CollectorTotals& totals)
      : vm_(vm),
        totals_(totals),
        memory_(vm.memory()),
        segments_(vm.layout(), vm.static_data(), memory_),
        vitals_(vm.layout(), vm.image(), vm.static_data(), memory_, vm.schedulers()),
        processes_at_(vm.static_data().symbol("erts_proc")) {
    if (const auto table = vm.static_data().symbol("erts_atom_table"))
      atoms_.emplace(vm.layout(), memory_, *table);
    auto set = beam::find_allocators(vm.layout(), vm.image(), vm.static_data(), memory_);
    if (!set) {
      log::warn("no allocator figures: " + set.error().text);
      return;
    }
    set_ = std::move(*set);
    reader_.emplace(vm.layout(), memory_, set_);
  }

  // Runs what is due; returns when something will be due next.
  std::chrono::nanoseconds run_due(const settings::Settings& settings, totals::VmFigures& figures) {
    auto next = os::monotonic_now() + std::chrono::hours(1);
    const auto due = [&](Timer& timer, bool enabled, std::chrono::milliseconds interval,
                         const char* name, auto collect) {
      if (!enabled) return;
      const auto now = os::monotonic_now();
      if (timer.next <= now) {
        const bool success = collect();
        const auto end = os::monotonic_now();
        runs_.push_back({name, end - now, success, std::chrono::system_clock::now()});
        timer.next = now + interval;
      }
      next = std::min(next, timer.next);
    };
    const auto& memory = settings.memory;
    const auto& processes = settings.process_scan;
    due(vitals_timer_, settings.vitals.enabled, settings.vitals.interval, "vitals",
        [&] { return look_at_vitals(figures); });
    due(allocators_timer_, memory.enabled, memory.interval, "allocators",
        [&] { return look_at_allocators(figures); });
    due(carriers_timer_, memory.enabled && memory.carriers, memory.carrier_interval, "carriers",
        [&] { return look_at_carriers(figures); });
    due(processes_timer_, processes.enabled, processes.interval, "processes",
        [&] { return look_at_processes(static_cast<std::size_t>(processes.top), figures); });
    if (!memory.enabled) figures.allocators.reset();
    if (!memory.enabled) figures.memory.reset();
    if (!memory.enabled || !memory.carriers) figures.fragmentation.reset();
    if (!memory.enabled || !memory.carriers) figures.resident_parts.reset();
    if (!processes.enabled) figures.processes.reset();
    if (!settings.vitals.enabled) figures.vitals.reset();
    if (!memory.instances && figures.allocators) figures.allocators->instances.clear();
    return next;
  }

  // Once the figures are published: nobody must see the time of a run without what it found.
  void count_runs() {
    for (const Run& run : runs_) totals_.count_run(run.collector, run.took, run.success, run.ended);
    runs_.clear();
  }

 private:
  struct Timer {
    std::chrono::nanoseconds next{};
  };
  struct Run {
    const char* collector;
    std::chrono::nanoseconds took;
    bool success;
    std::chrono::system_clock::time_point ended;
  };

  bool look_at_vitals(totals::VmFigures& figures) {
    auto vitals = vitals_.read();
    if (!vitals) {
      totals_.count_torn("vitals", 1);
      return false;
    }
    totals_.take(*vitals);
    figures.vitals = std::move(*vitals);
    return true;
  }

  bool look_at_allocators(totals::VmFigures& figures) {
    if (const auto stat = os::read_process_stat(vm_.process().directory()))
      figures.memory = totals::MemorySection{static_cast<double>(stat->resident_bytes),
                                             static_cast<double>(stat->virtual_bytes)};
    if (!reader_) return false;
    const auto before = reader_->retries();
    const auto statistics = reader_->read();
    totals_.count_torn("allocators", reader_->retries() - before);
    if (!statistics) return false;
    figures.allocators = collectors::allocator_section(set_, *statistics);
    if (const auto cached = segments_.cached_bytes(set_, *statistics))
      figures.allocators->cached_segment_bytes = static_cast<double>(*cached);
    return true;
  }

  bool look_at_carriers(totals::VmFigures& figures) {
    if (!reader_) return false;
    const auto walk = beam::walk_carriers(vm_.layout(), memory_, set_, *reader_);
    totals_.count_torn("carriers", walk.retries);
    if (!walk.whole) return false;
    figures.fragmentation = collectors::fragmentation(set_, walk);
    const auto directory = vm_.process().directory();
    const auto uses = os::read_smaps(directory);
    if (!uses) return true;
    const collectors::BesideCarriers beside{.literal_area = segments_.literal_area(),
                                            .cached_segments = segments_.cached_segments()};
    figures.resident_parts = collectors::resident_parts(
        *uses, walk.carriers, beside, [&](std::span<const os::AddressRange> ranges) {
          return os::resident_bytes(directory, ranges);
        });
    return true;
  }

  bool look_at_processes(std::size_t top, totals::VmFigures& figures) {
    if (!processes_at_ || !atoms_) return false;
    collectors::ProcessTally tally(top * named_for_each_place);
    const auto scan = beam::scan_processes(vm_.layout(), memory_, *processes_at_,
                                           [&](const auto& process) { tally.add(process); });
    totals_.count_torn("processes", scan ? scan->torn : 1);
    if (!scan) return false;
    auto section = tally.section();
    section.unmeasured_messages = static_cast<double>(scan->unmeasured_messages);
    section.largest_heaps =
        name_largest(tally.largest_heaps(), top, &beam::ScannedProcess::heap_bytes);
    section.longest_queues =
        name_largest(tally.longest_queues(), top, &beam::ScannedProcess::messages);
    figures.processes = std::move(section);
    return true;
  }

  std::vector<totals::NamedProcess> name_largest(const std::vector<beam::ScannedProcess>& largest,
                                                 std::size_t top,
                                                 std::uint64_t beam::ScannedProcess::*value) {
    std::vector<totals::NamedProcess> named;
    for (const auto& process : largest) {
      if (named.size() == top) break;
      const auto name = beam::process_name(vm_.layout(), memory_, *atoms_, process);
      if (!name || std::ranges::find(named, *name, &totals::NamedProcess::name) != named.end())
        continue;
      named.push_back({*name, static_cast<double>(process.*value)});
    }
    return named;
  }

  const beam::VirtualMachine& vm_;
  totals::CollectorTotals& totals_;
  const os::Memory& memory_;  // of the live process: safe from any thread
  beam::AllocatorSet set_;
  std::optional<beam::AllocatorReader> reader_;
  beam::Segments segments_;
  beam::VitalsReader vitals_;
  std::optional<beam::Atoms> atoms_;
  std::optional<os::Address> processes_at_;
  Timer vitals_timer_, allocators_timer_, carriers_timer_, processes_timer_;
  std::vector<Run> runs_;  // not yet counted
};

MemoryWatch::MemoryWatch(const beam::VirtualMachine& vm, const settings::Settings& settings,
                         totals::CollectorTotals& totals)
    : totals_(&totals),
      settings_(settings),
      newest_(std::make_shared<const totals::VmFigures>()),
      thread_([this, &vm] {
        auto failure = os::failure_of([this, &vm] { run(vm); });
        std::lock_guard lock(mutex_);
        failure_ = std::move(failure);
      }) {}

MemoryWatch::~MemoryWatch() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  totals_->forget_vm();
}

std::shared_ptr<const totals::VmFigures> MemoryWatch::newest() const {
  std::lock_guard lock(mutex_);
  return newest_;
}

std::optional<std::string> MemoryWatch::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void MemoryWatch::apply(const settings::Settings& settings) {
  {
    std::lock_guard lock(mutex_);
    settings_.memory = settings.memory;
    settings_.process_scan = settings.process_scan;
    settings_.vitals = settings.vitals;
  }
  wake_.notify_all();
}

void MemoryWatch::run(const beam::VirtualMachine& vm) {
  Collectors collectors_of_vm(vm, *totals_);
  totals::VmFigures figures;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const settings::Settings settings = settings_;
    lock.unlock();
    const auto next = collectors_of_vm.run_due(settings, figures);
    auto published = std::make_shared<const totals::VmFigures>(figures);
    lock.lock();
    newest_ = std::move(published);
    collectors_of_vm.count_runs();
    const auto wait = next - os::monotonic_now();
    const auto unchanged = [&] { return stopping_ || !(settings_ == settings); };
    if (wait.count() > 0) wake_.wait_for(lock, wait, unchanged);
  }
}

}  // namespace beam_exporter::collectors
