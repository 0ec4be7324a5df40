#include "app/memory_watch.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "app/supervision.h"
#include "attribution/memory_figures.h"
#include "attribution/resident_parts.h"
#include "beam/process_name.h"
#include "beam/segments.h"
#include "os/process_stat.h"
#include "sampling/log.h"
#include "sampling/monotonic_clock.h"

namespace beam_exporter::app {

namespace {

using sampling::log;
using sampling::LogLevel;

// Processes that share a name count as one, the largest: so many are named for each place on a
// list.
constexpr std::size_t named_for_each_place = 8;

}  // namespace

// What the thread owns: readers with places of their own, nothing shared with the observing thread
// but what of the VM never changes.
class MemoryWatch::Collectors {
 public:
  Collectors(const beam::VirtualMachine& vm, attribution::WatchTotals& totals)
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
      log(LogLevel::warn, "no allocator figures: " + set.error().text);
      return;
    }
    set_ = std::move(*set);
    reader_.emplace(vm.layout(), memory_, set_);
  }

  // Runs what is due; returns when something will be due next.
  std::chrono::nanoseconds run_due(const Settings& settings, attribution::VmFigures& figures) {
    auto next = sampling::monotonic_now() + std::chrono::hours(1);
    const auto due = [&](Timer& timer, bool enabled, std::chrono::milliseconds interval,
                         const char* name, auto collect) {
      if (!enabled) return;
      const auto now = sampling::monotonic_now();
      if (timer.next <= now) {
        const bool success = collect();
        const auto end = sampling::monotonic_now();
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

  bool look_at_vitals(attribution::VmFigures& figures) {
    auto vitals = vitals_.read();
    if (!vitals) {
      totals_.count_torn("vitals", 1);
      return false;
    }
    totals_.take(*vitals);
    figures.vitals = std::move(*vitals);
    return true;
  }

  bool look_at_allocators(attribution::VmFigures& figures) {
    if (const auto stat = os::read_process_stat(vm_.process().directory()))
      figures.memory = attribution::MemorySection{static_cast<double>(stat->resident_bytes),
                                                  static_cast<double>(stat->virtual_bytes)};
    if (!reader_) return false;
    const auto before = reader_->retries();
    const auto statistics = reader_->read();
    totals_.count_torn("allocators", reader_->retries() - before);
    if (!statistics) return false;
    figures.allocators = attribution::allocator_section(set_, *statistics);
    if (const auto cached = segments_.cached_bytes(set_, *statistics))
      figures.allocators->cached_segment_bytes = static_cast<double>(*cached);
    return true;
  }

  bool look_at_carriers(attribution::VmFigures& figures) {
    if (!reader_) return false;
    const auto walk = beam::walk_carriers(vm_.layout(), memory_, set_, *reader_);
    totals_.count_torn("carriers", walk.retries);
    if (!walk.whole) return false;
    figures.fragmentation = attribution::fragmentation(set_, walk);
    const auto directory = vm_.process().directory();
    const auto uses = os::read_smaps(directory);
    if (!uses) return true;
    const attribution::BesideCarriers beside{.literal_area = segments_.literal_area(),
                                             .cached_segments = segments_.cached_segments()};
    figures.resident_parts = attribution::resident_parts(
        *uses, walk.carriers, beside, [&](std::span<const os::AddressRange> ranges) {
          return os::resident_bytes(directory, ranges);
        });
    return true;
  }

  bool look_at_processes(std::size_t top, attribution::VmFigures& figures) {
    if (!processes_at_ || !atoms_) return false;
    attribution::ProcessTally tally(top * named_for_each_place);
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

  std::vector<attribution::NamedProcess> name_largest(
      const std::vector<beam::ScannedProcess>& largest, std::size_t top,
      std::uint64_t beam::ScannedProcess::*value) {
    std::vector<attribution::NamedProcess> named;
    for (const auto& process : largest) {
      if (named.size() == top) break;
      const auto name = beam::process_name(vm_.layout(), memory_, *atoms_, process);
      if (!name || std::ranges::find(named, *name, &attribution::NamedProcess::name) != named.end())
        continue;
      named.push_back({*name, static_cast<double>(process.*value)});
    }
    return named;
  }

  const beam::VirtualMachine& vm_;
  attribution::WatchTotals& totals_;
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

MemoryWatch::MemoryWatch(const beam::VirtualMachine& vm, const Settings& settings,
                         attribution::WatchTotals& totals)
    : totals_(&totals),
      settings_(settings),
      newest_(std::make_shared<const attribution::VmFigures>()),
      thread_([this, &vm] {
        auto failure = failure_of([this, &vm] { run(vm); });
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

std::shared_ptr<const attribution::VmFigures> MemoryWatch::newest() const {
  std::lock_guard lock(mutex_);
  return newest_;
}

std::optional<std::string> MemoryWatch::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void MemoryWatch::apply(const Settings& settings) {
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
  attribution::VmFigures figures;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Settings settings = settings_;
    lock.unlock();
    const auto next = collectors_of_vm.run_due(settings, figures);
    auto published = std::make_shared<const attribution::VmFigures>(figures);
    lock.lock();
    newest_ = std::move(published);
    collectors_of_vm.count_runs();
    const auto wait = next - sampling::monotonic_now();
    const auto unchanged = [&] { return stopping_ || !(settings_ == settings); };
    if (wait.count() > 0) wake_.wait_for(lock, wait, unchanged);
  }
}

}  // namespace beam_exporter::app
