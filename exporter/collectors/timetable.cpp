#include "collectors/timetable.h"

#include <algorithm>

namespace beam_exporter::collectors {

Timetable::Timetable(const Subject& subject, std::span<const RegisteredCollector> collectors,
                     Now now)
    : totals_(subject.totals), now_(std::move(now)) {
  for (const auto& [name, make] : collectors) entries_.push_back({name, make(subject), {}});
}

std::chrono::nanoseconds Timetable::run_due(const settings::Settings& settings,
                                            totals::VmFigures& figures) {
  auto next = now_() + std::chrono::hours(1);
  for (auto& entry : entries_) {
    if (const auto interval = entry.collector->interval(settings)) {
      const auto now = now_();
      if (!entry.last_look || *entry.last_look + *interval <= now) {
        entry.last_look = now;
        look(entry, settings, figures);
      }
      next = std::min<std::chrono::nanoseconds>(next, *entry.last_look + *interval);
    }
    entry.collector->clear(settings, figures);
  }
  return next;
}

void Timetable::look(Entry& entry, const settings::Settings& settings, totals::VmFigures& figures) {
  const auto begin = now_();
  const bool success = entry.collector->collect(settings, figures);
  runs_.push_back({entry.name, now_() - begin, success, std::chrono::system_clock::now()});
}

void Timetable::count_runs() {
  for (const Run& run : runs_)
    totals_->count_run(std::string(run.collector), run.took, run.success, run.ended);
  runs_.clear();
}

}  // namespace beam_exporter::collectors
