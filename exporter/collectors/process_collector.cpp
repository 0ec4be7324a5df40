#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "beam/processes/process_name.h"
#include "beam/processes_of_vm.h"
#include "beam/terms/atoms.h"
#include "collectors/memory_figures.h"
#include "collectors/registry.h"

namespace beam_exporter::collectors {

namespace {

// Processes that share a name count as one, the largest. So this many processes are kept for each
// place on a list.
constexpr std::size_t named_for_each_place = 8;

// Reads the heap and the message queue of every process, and names the largest.
class ProcessCollector final : public Collector {
 public:
  explicit ProcessCollector(const Subject& subject)
      : subject_(subject), atoms_(subject.vm->separate_atoms()) {}

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override {
    if (!settings.process_scan.enabled) return std::nullopt;
    return settings.process_scan.interval;
  }

  bool collect(const settings::Settings& settings, totals::VmFigures& figures) override {
    const auto top = static_cast<std::size_t>(settings.process_scan.top);
    ProcessTally tally(top * named_for_each_place);
    const auto scan =
        beam::scan_processes(*subject_.vm, [&](const auto& process) { tally.add(process); });
    subject_.totals->count_torn("processes", scan ? scan->torn : 1);
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

  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override {
    if (!settings.process_scan.enabled) figures.processes.reset();
  }

 private:
  std::vector<totals::NamedProcess> name_largest(const std::vector<beam::ScannedProcess>& largest,
                                                 std::size_t top,
                                                 std::uint64_t beam::ScannedProcess::*value) {
    std::vector<totals::NamedProcess> named;
    for (const auto& process : largest) {
      if (named.size() == top) break;
      const auto name =
          beam::process_name(subject_.vm->layout(), subject_.vm->memory(), atoms_, process);
      if (!name || std::ranges::find(named, *name, &totals::NamedProcess::name) != named.end())
        continue;
      named.push_back({*name, static_cast<double>(process.*value)});
    }
    return named;
  }

  Subject subject_;
  beam::Atoms atoms_;  // for this thread: the observing thread has its own
};

}  // namespace

std::unique_ptr<Collector> make_process_collector(const Subject& subject) {
  return std::make_unique<ProcessCollector>(subject);
}

}  // namespace beam_exporter::collectors
