#include "totals/totals.h"

#include <algorithm>

#include "totals/histogram.h"

namespace beam_exporter::totals {

namespace {

// Used when no Erlang function is known: ports, scheduling, a stack that could not be read.
const FunctionKey nobody{"", "none"};

bool is_scheduler(beam::ThreadKind kind) {
  return kind == beam::ThreadKind::normal || kind == beam::ThreadKind::dirty_cpu ||
         kind == beam::ThreadKind::dirty_io;
}

// nullopt only when both are unknown.
std::optional<sampling::SourceCost> sum(const std::optional<sampling::SourceCost>& a,
                                        const std::optional<sampling::SourceCost>& b) {
  if (!a || !b) return a ? a : b;
  return sampling::SourceCost{a->runs + b->runs, a->time + b->time};
}

}  // namespace

Totals::Totals(const SeriesLimits& limits)
    : limits_(limits),
      functions_(limits.functions),
      inclusive_(limits.inclusive_functions),
      bifs_(limits.functions),
      nifs_(limits.functions),
      processes_(limits.processes),
      read_delay_(empty_histogram({0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
                                   0.0025, 0.005, 0.01, 0.1})) {}

void Totals::add(const sampling::RawSample& sample, const attribution::Attribution& meaning,
                 const SampleLabels& labels) {
  const double seconds = std::chrono::duration<double>(sample.cpu_time).count();
  begin_source();
  ++samples_;
  add_observation(read_delay_, std::chrono::duration<double>(sample.read_delay).count());
  clock_.add(sample.role, meaning.state, sample.cpu_time);
  auto unattributed = meaning.unattributed;
  if (labels.self != nullptr)
    functions_.add(*labels.self, seconds);
  else if (meaning.self)
    unattributed = attribution::Unattributed::no_function;  // an atom that cannot be read
  for (const auto* function : labels.inclusive) inclusive_.add(*function, seconds);
  add_native(meaning, labels, seconds);
  if (meaning.for_process)
    processes_.add(labels.process != nullptr ? FunctionKey{"", *labels.process} : nobody, seconds);
  nif_holds_.add(sample, meaning);
  if (is_scheduler(sample.role.kind) && meaning.state != attribution::State::sleep &&
      meaning.state != attribution::State::busy_wait) {
    interval_.working += seconds;
    if (meaning.in_nif) interval_.in_nifs += seconds;
  }
  if (unattributed) ++unattributed_[static_cast<std::size_t>(*unattributed)];
}

void Totals::add_native(const attribution::Attribution& meaning, const SampleLabels& labels,
                        double seconds) {
  if (labels.bif != nullptr) bifs_.add(*labels.bif, seconds);
  if (meaning.in_nif)
    nifs_.add(labels.nif != nullptr ? *labels.nif : FunctionKey{"", meaning.nif_code}, seconds);
  const FunctionKey& blamed = labels.self != nullptr ? *labels.self : nobody;
  for (std::size_t bit = 0; bit < blamed_.size(); ++bit)
    if ((meaning.families >> bit & 1) != 0) blame_of(blamed_[bit]).add(blamed, seconds);
}

void Totals::add_growth(const std::string& allocator, double bytes, const FunctionKey* self) {
  growth_.try_emplace(allocator, limits_.growth)
      .first->second.add(self != nullptr ? *self : nobody, bytes);
}

TopFunctions& Totals::blame_of(const std::string& native) {
  auto known = std::ranges::find(blame_, native, [](const auto& entry) { return entry.first; });
  if (known == blame_.end()) known = blame_.emplace(known, native, TopFunctions(limits_.blame));
  return known->second;
}

void Totals::set_blamed(std::vector<std::string> natives) {
  blamed_ = std::move(natives);
  for (const auto& native : blamed_) (void)blame_of(native);
}

void Totals::advance(const std::vector<beam::ThreadRole>& present, SchedulerClock::Time now,
                     const SchedulerClock::CpuUse& cpu_use) {
  clock_.advance(present, now, cpu_use);
  nif_time_ratio_.reset();
  if (interval_.working > 0) nif_time_ratio_ = interval_.in_nifs / interval_.working;
  interval_ = {};
}

void Totals::set_losses(const sampling::Losses& losses) { current_losses_ = losses; }

void Totals::settle_source() {
  for (std::size_t k = 0; k < settled_losses_.count.size(); ++k)
    settled_losses_.count[k] += current_losses_.count[k];
  current_losses_ = {};
  settled_cost_ = sum(settled_cost_, current_cost_);
  current_cost_.reset();
}

void Totals::forget_vm() {
  settle_source();
  nif_holds_.forget();
  nif_time_ratio_.reset();
  interval_ = {};
  clock_.pause();
}

void Totals::rebalance() {
  for (auto* top : {&functions_, &inclusive_, &bifs_, &nifs_, &processes_}) top->rebalance();
  for (auto& [native, top] : blame_) top.rebalance();
  for (auto& [allocator, top] : growth_) top.rebalance();
}

void Totals::show(std::uint64_t snapshot, std::uint64_t seen) {
  for (auto* top : {&functions_, &inclusive_, &bifs_, &nifs_, &processes_})
    top->show(snapshot, seen);
  for (auto& [native, top] : blame_) top.show(snapshot, seen);
  for (auto& [allocator, top] : growth_) top.show(snapshot, seen);
}

void Totals::set_limits(const SeriesLimits& limits) {
  limits_ = limits;
  for (auto* top : {&functions_, &bifs_, &nifs_}) top->set_limit(limits.functions);
  inclusive_.set_limit(limits.inclusive_functions);
  processes_.set_limit(limits.processes);
  for (auto& [native, top] : blame_) top.set_limit(limits.blame);
  for (auto& [allocator, top] : growth_) top.set_limit(limits.growth);
}

void Totals::write(Snapshot& snapshot) const {
  snapshot.sampled = sampled_;
  snapshot.schedulers = clock_.times();
  snapshot.functions = functions_.times();
  snapshot.inclusive_functions = inclusive_.times();
  snapshot.bifs = bifs_.times();
  snapshot.nifs = nifs_.times();
  snapshot.nif_time_ratio = nif_time_ratio_;
  snapshot.nif_hold_seconds = nif_holds_.seconds();
  for (const auto& [native, top] : blame_) snapshot.blame.push_back({native, top.times()});
  for (const auto& [allocator, top] : growth_) snapshot.growth.push_back({allocator, top.times()});
  for (auto& time : processes_.times())
    snapshot.process_times.push_back({std::move(time.function), time.seconds});
  snapshot.samples.total = samples_;
  for (std::size_t k = 0; k < sampling::loss_names.size(); ++k)
    snapshot.samples.lost[std::string(sampling::loss_names[k])] =
        static_cast<double>(settled_losses_.count[k] + current_losses_.count[k]);
  for (std::size_t k = 0; k < attribution::unattributed_names.size(); ++k)
    snapshot.samples.unattributed[std::string(attribution::unattributed_names[k])] =
        unattributed_[k];
  snapshot.samples.read_delay_seconds = read_delay_;
  snapshot.own.torn_reads = torn_reads_;
  if (const auto cost = sum(settled_cost_, current_cost_)) {
    snapshot.own.sampling_runs = static_cast<double>(cost->runs);
    snapshot.own.sampling_seconds = std::chrono::duration<double>(cost->time).count();
  }
}

}  // namespace beam_exporter::totals
