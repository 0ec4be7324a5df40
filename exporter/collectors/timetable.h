#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "collectors/registry.h"

namespace beam_exporter::collectors {

// The collectors of one VM, each looking when its time has come. One thread.
class Timetable {
 public:
  // CLOCK_MONOTONIC, or a test's own.
  using Now = std::function<std::chrono::nanoseconds()>;

  // A collector is due at once when it is first asked for.
  Timetable(const Subject& subject, std::span<const RegisteredCollector> collectors, Now now);

  // Lets all look that are due, and takes away what is switched off. A changed interval counts from
  // the last look. Returns when the next one is
  // due: an hour from now when none is on.
  std::chrono::nanoseconds run_due(const settings::Settings& settings, totals::VmFigures& figures);

  // Tells the totals of the runs since it was last called. To be called once the figures are
  // published: nobody must see the time of a run without what it found.
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
