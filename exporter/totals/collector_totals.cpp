#include "totals/collector_totals.h"

#include <algorithm>

namespace beam_exporter::totals {

void CollectorTotals::Counter::take(std::optional<std::uint64_t> value) {
  if (value) current = std::max(current.value_or(0), static_cast<double>(*value));
}

void CollectorTotals::Counter::settle() {
  settled = total();
  current.reset();
}

std::optional<double> CollectorTotals::Counter::total() const {
  if (!settled && !current) return std::nullopt;
  return settled.value_or(0) + current.value_or(0);
}

CollectorTotals::CollectorTotals(std::span<const std::string_view> collectors) {
  for (const auto collector : collectors) torn_[std::string(collector)] = 0;
}

void CollectorTotals::count_run(const std::string& collector, std::chrono::nanoseconds duration,
                                bool success, Clock::time_point ended) {
  std::lock_guard lock(mutex_);
  auto& run = runs_[collector];
  run.duration_seconds = std::chrono::duration<double>(duration).count();
  run.success = success;
  if (success)
    run.last_success_seconds = std::chrono::duration<double>(ended.time_since_epoch()).count();
}

void CollectorTotals::count_torn(const std::string& collector, std::uint64_t reads) {
  std::lock_guard lock(mutex_);
  torn_[collector] += static_cast<double>(reads);
}

void CollectorTotals::take(const beam::Vitals& vitals) {
  std::lock_guard lock(mutex_);
  reductions_.take(vitals.reductions);
  context_switches_.take(vitals.context_switches);
  collections_.take(vitals.collections);
  io_in_.take(vitals.io_in);
  io_out_.take(vitals.io_out);
}

void CollectorTotals::forget_vm() {
  std::lock_guard lock(mutex_);
  for (auto* counter : {&reductions_, &context_switches_, &collections_, &io_in_, &io_out_})
    counter->settle();
  runs_.clear();
}

void CollectorTotals::write(Snapshot& snapshot) const {
  std::lock_guard lock(mutex_);
  snapshot.counters = {reductions_.total(), context_switches_.total(), collections_.total(),
                       io_in_.total(), io_out_.total()};
  for (const auto& [collector, run] : runs_) snapshot.own.collectors[collector] = run;
  for (const auto& [collector, count] : torn_) snapshot.own.torn_reads[collector] = count;
}

}  // namespace beam_exporter::totals
