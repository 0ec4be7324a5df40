#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "collectors/registry.h"

namespace beam_exporter::collectors {

// The collectors of one VM; each looks when it is due. One thread.
class Timetable {
 public:
  // CLOCK_MONOTONIC, or the clock of a test.
  using Now = std::function<std::chrono::nanoseconds()>;

  // A collector is due at the first call of run_due().
  Timetable(const Subject& subject, std::span<const RegisteredCollector> collectors, Now now);

  // Runs every collector that is due, and clears the sections of those that are switched off. A
  // changed interval counts from the last look. Returns the time until the next collector is due,
  // or one hour when all are switched off.
  std::chrono::nanoseconds run_due(const settings::Settings& settings, totals::VmFigures& figures);

  // Reports the runs since the last call to the totals. Call it after the figures are published:
  // nobody may see the time of a run before its results.
  void count_runs();

 private:
  struct Entry {
    std::string_view name;
    std::unique_ptr<Collector> collector;
    std::optional<std::chrono::nanoseconds> last_look;  // nullopt: due at once
  };
  struct Run {
    std::string_view collector;
    std::chrono::nanoseconds took;
    bool success;
    std::chrono::system_clock::time_point ended;
  };
  void look(Entry& entry, const settings::Settings& settings, totals::VmFigures& figures);

  totals::CollectorTotals* totals_;
  Now now_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;  // not yet counted
};

}  // namespace beam_exporter::collectors
