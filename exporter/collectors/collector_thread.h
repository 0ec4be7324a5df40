#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "beam/virtual_machine.h"
#include "settings/settings.h"
#include "totals/collector_totals.h"
#include "totals/vm_figures.h"

namespace beam_exporter::collectors {

// Runs the collectors of one attached VM, apart from the observing thread: a scan of many
// milliseconds must never delay the draining of samples.
class CollectorThread {
 public:
  // `vm` and `totals` outlive it. Throws std::system_error when no thread can be started.
  CollectorThread(const beam::VirtualMachine& vm, const settings::Settings& settings,
                  totals::CollectorTotals& totals);
  ~CollectorThread();  // stops and joins

  // From any thread. A section appears when its collector first succeeds.
  std::shared_ptr<const totals::VmFigures> newest() const;
  // From any thread: takes effect at once.
  void apply(const settings::Settings& settings);
  // What has ended the thread before its time.
  std::optional<std::string> failure() const;

 private:
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
