#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "collectors/collector_thread.h"
#include "os/supervision.h"
#include "os/unique_fd.h"
#include "session/process_usage.h"
#include "session/target_session.h"
#include "settings/settings.h"
#include "totals/latest_snapshot.h"

namespace beam_exporter::session {

// The observing thread: finds the VM, attaches, looks, publishes; notices its end and waits for the
// next one. What fails on it or on the collectors' thread, for lack of memory or threads,
// is logged; the VM is let go and attached to again later. Counters live here and go on over all of
// it.
class Observer {
 public:
  // `latest` outlives it.
  Observer(settings::Settings settings, beam::LayoutLibrary library,
           totals::LatestSnapshot& latest);
  ~Observer();  // stops and joins

  // Before start(): the first attach, for errors that a human should see at once. No VM yet is no
  // error when none was named. Errors: as find_target and TargetSession::attach.
  os::Status attach_now();

  // 0: started. Else no thread could be, as the log says: how long to wait before it is tried
  // again.
  std::chrono::milliseconds start();
  void stop();  // publishes a last snapshot

  // From any thread: goes on with these from the next look on. They differ from the last ones only
  // in what takes effect at once (settings::after_reload).
  void apply(const settings::Settings& settings);

 private:
  void run();
  void turn();  // one search for a VM, or one VM
  os::Status attach();
  // After an exception: lets the VM go. Returns how long to wait.
  std::chrono::milliseconds recover(const std::string& failure);
  void let_go(std::string reason);
  void observe();  // one VM, from attach to its end
  void take_settings();
  void publish();
  bool wait(std::chrono::milliseconds time);  // false: asked to stop
  void wake() const;
  void down(const os::Error& error);

  settings::Settings settings_;
  beam::LayoutLibrary library_;
  totals::LatestSnapshot* latest_;
  totals::Totals totals_;
  ProcessUsage usage_;
  totals::CollectorTotals collector_totals_;
  std::unique_ptr<TargetSession> session_;
  std::unique_ptr<collectors::CollectorThread>
      collectors_;  // of the session's VM, while it is observed
  std::string down_reason_;
  os::Backoff backoff_;
  std::optional<os::ProcessIdentity> let_go_;  // the VM that recover() let go, to attach to again
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
