#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "beam/virtual_machine.h"
#include "collectors/asked_looks.h"
#include "settings/settings.h"
#include "totals/collector_totals.h"
#include "totals/vm_figures.h"

namespace beam_exporter::collectors {

// Runs the collectors of one attached VM, and looks when somebody asks. It is not the observing
// thread, because a scan of many milliseconds must never delay the draining of samples.
class CollectorThread {
 public:
  // `vm`, `totals` and `asked` must outlive it. Throws std::system_error when no thread can be
  // started.
  CollectorThread(const beam::VirtualMachine& vm, const settings::Settings& settings,
                  totals::CollectorTotals& totals, AskedLooks& asked);
  ~CollectorThread();  // stops and joins

  // Any thread. A section appears when its collector first succeeds.
  std::shared_ptr<const totals::VmFigures> newest() const;
  // Any thread. Takes effect at once.
  void apply(const settings::Settings& settings);
  // The error that ended the thread too early; nullopt: none.
  std::optional<std::string> failure() const;

 private:
  void run(const beam::VirtualMachine& vm);

  totals::CollectorTotals* totals_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool woken_ = false;  // somebody asks for a look
  settings::Settings settings_;
  std::shared_ptr<const totals::VmFigures> newest_;
  std::optional<std::string> failure_;
  AskedLooks::Service asked_;  // from the first moment: who asks before the thread runs waits
  std::thread thread_;
};

}  // namespace beam_exporter::collectors
