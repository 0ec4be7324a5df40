#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "beam/schedulers/vitals.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// The counters of the timer-driven collectors and the results of their last runs. The counters
// cover every VM that was watched since the exporter started. Any thread.
class CollectorTotals {
 public:
  using Clock = std::chrono::system_clock;

  // Every collector in `collectors` has a count of torn reads from the start: 0.
  explicit CollectorTotals(std::span<const std::string_view> collectors);

  void count_run(const std::string& collector, std::chrono::nanoseconds duration, bool success,
                 Clock::time_point ended);
  void count_torn(const std::string& collector, std::uint64_t reads);

  // Takes the current VM's own counters. They never go back: a reading smaller than the last one is
  // torn and is ignored.
  void take(const beam::Vitals& vitals);
  // The next VM counts from 0.
  void forget_vm();

  void write(Snapshot& snapshot) const;

 private:
  struct Counter {
    std::optional<double> settled, current;
    void take(std::optional<std::uint64_t> value);
    void settle();
    std::optional<double> total() const;
  };

  mutable std::mutex mutex_;
  std::map<std::string, CollectorRun> runs_;
  std::map<std::string, double> torn_;
  Counter reductions_, context_switches_, collections_, io_in_, io_out_;
};

}  // namespace beam_exporter::totals
