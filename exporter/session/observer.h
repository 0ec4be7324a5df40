#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "collectors/collector_thread.h"
#include "os/supervision.h"
#include "os/unique_fd.h"
#include "session/process_usage.h"
#include "session/symbol_fetch.h"
#include "session/target_session.h"
#include "settings/settings.h"
#include "totals/latest_snapshot.h"

namespace beam_exporter::session {

// The observing thread. It finds the VM, attaches, looks and publishes; it notices the VM's end and
// waits for the next VM. When something fails on this thread or on the collectors' thread, for lack
// of memory or threads, it logs the error, lets the VM go and attaches again later. The counters
// live here and continue through all of this.
class Observer {
 public:
  // `latest`, `recorder` and `asked` must outlive it.
  Observer(settings::Settings settings, beam::LayoutLibrary library, totals::LatestSnapshot& latest,
           profile::Recorder& recorder, collectors::AskedLooks& asked);
  ~Observer();  // stops and joins

  // Attaches once before start(), so that a human sees an error at once. When no VM was named, a
  // missing VM is no error. Errors: those of find_target and TargetSession::attach.
  os::Status attach_now();

  // Starts the thread. 0: it runs. Otherwise no thread could be started, and the log says so; the
  // value is the time to wait before the next try.
  std::chrono::milliseconds start();
  void stop();  // publishes a last snapshot

  // Any thread. Uses these settings from the next look on. They may differ from the last ones only
  // in what takes effect at once (settings::after_reload).
  void apply(const settings::Settings& settings);

 private:
  void run();
  void turn();  // one search for a VM, or one VM
  os::Status attach();
  // After an exception: lets the VM go. Returns the time to wait.
  std::chrono::milliseconds recover(const std::string& failure);
  void let_go(std::string reason);
  void attach_again(std::string reason);  // lets the VM go; it does not count as another one
  void start_collectors();
  void observe();  // one VM, from attach to its end
  void take_settings();
  void publish();
  bool wait(std::chrono::milliseconds time);  // false: asked to stop
  void wake() const;
  void down(const os::Error& error);

  settings::Settings settings_;
  beam::LayoutLibrary library_;
  totals::LatestSnapshot* latest_;
  profile::Recorder* recorder_;
  collectors::AskedLooks* asked_;
  totals::Totals totals_;
  ProcessUsage usage_;
  totals::CollectorTotals collector_totals_;
  std::unique_ptr<SymbolFetch> fetch_;  // where debuginfod servers are configured
  std::unique_ptr<TargetSession> session_;
  std::unique_ptr<collectors::CollectorThread>
      collectors_;  // of the session's VM while it is observed
  std::string down_reason_;
  os::Backoff backoff_;
  std::optional<os::ProcessIdentity> let_go_;  // the VM that was let go, to attach again
  double attaches_ = 0;
  std::uint64_t snapshots_ = 0;
  std::chrono::nanoseconds rebalanced_{};

  os::UniqueFd wake_;
  std::atomic<bool> stopping_ = false;
  std::mutex fresh_mutex_;
  std::optional<settings::Settings> fresh_;
  std::thread thread_;
};

}  // namespace beam_exporter::session
