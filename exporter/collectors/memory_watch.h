#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "beam/virtual_machine.h"
#include "settings/settings.h"
#include "totals/collector_totals.h"
#include "totals/vm_figures.h"

namespace beam_exporter::collectors {

// The collectors that look at the whole VM on timers of their own: allocators, carriers, processes,
// vitals. They run on one thread, apart from the observing one, so that a scan of many milliseconds
// never delays the draining of samples. Made for one attached VM, which outlives it.
class MemoryWatch {
 public:
  // Names of the collectors, as labels.
  static constexpr std::array<std::string_view, 4> collectors = {"allocators", "carriers",
                                                                 "processes", "vitals"};

  // `totals` outlives it. Throws std::system_error when no thread can be started.
  MemoryWatch(const beam::VirtualMachine& vm, const settings::Settings& settings,
              totals::CollectorTotals& totals);
  ~MemoryWatch();  // stops and joins

  // From any thread. Sections appear as their collectors first succeed.
  std::shared_ptr<const totals::VmFigures> newest() const;
  void apply(const settings::Settings& settings);
  // What has ended the thread before its time.
  std::optional<std::string> failure() const;

 private:
  class Collectors;
  void run(const beam::VirtualMachine& vm);

  totals::CollectorTotals* totals_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  settings::Settings settings_;
  std::shared_ptr<const totals::VmFigures> newest_;
  std::optional<std::string> failure_;
  std::thread thread_;
};

}  // namespace beam_exporter::collectors
