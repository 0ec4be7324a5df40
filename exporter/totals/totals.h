#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attribution/attribution.h"
#include "sampling/losses.h"
#include "sampling/raw_sample.h"
#include "totals/labels.h"
#include "totals/nif_holds.h"
#include "totals/scheduler_clock.h"
#include "totals/snapshot.h"
#include "totals/top_functions.h"

namespace beam_exporter::totals {

// How many members of a family get a series of their own; `other` holds the rest.
struct SeriesLimits {
  std::size_t functions = 50, inclusive_functions = 50;
  std::size_t blame = 50;   // for each blamed native function
  std::size_t growth = 20;  // for each allocator
  std::size_t processes = 20;
};

// Every total that only grows, over every VM watched since the exporter started. One thread.
class Totals {
 public:
  explicit Totals(const SeriesLimits& limits);

  // Adds one sample with its meaning, and with the names of the functions and the process in it.
  void add(const sampling::RawSample& sample, const attribution::Attribution& meaning,
           const SampleLabels& labels);

  // A carrier of that allocator was made or grew, by `bytes`. `self`: as in SampleLabels.
  void add_growth(const std::string& allocator, double bytes, const FunctionKey* self);

  // Sets what the bits of attribution::Attribution::families mean from now on. Natives that are not
  // in the list keep their totals.
  void set_blamed(std::vector<std::string> natives);

  // Losses since the current source was made.
  void set_losses(const sampling::Losses& losses);
  // Cost since the current source was made; nullopt where it is not known.
  void set_cost(const std::optional<sampling::SourceCost>& cost) { current_cost_ = cost; }
  // The current source is about to end; the next one counts from 0.
  void settle_source();
  // A source samples: from now on its counts are published, zeros too.
  void begin_source() { sampled_ = true; }
  // The current VM is about to end: its wall time stops and its open NIF calls end.
  void forget_vm();

  // Counts a read that was dropped, by collector. Every collector is present from the start.
  void count_torn_read(const std::string& collector) { ++torn_reads_[collector]; }

  // Ends an interval: see SchedulerClock::advance.
  void advance(const std::vector<beam::ThreadRole>& present, SchedulerClock::Time now,
               const SchedulerClock::CpuUse& cpu_use = {});
  void tell_states(attribution::StateSet told) { clock_.tell(told); }
  void rebalance();
  // TopFunctions::show for all families.
  void show(std::uint64_t snapshot, std::uint64_t seen);
  void set_limits(const SeriesLimits& limits);

  void write(Snapshot& snapshot) const;

 private:
  void add_native(const attribution::Attribution& meaning, const SampleLabels& labels,
                  double seconds);
  TopFunctions& blame_of(const std::string& native);

  SeriesLimits limits_;
  TopFunctions functions_;
  TopFunctions inclusive_;
  TopFunctions bifs_, nifs_;
  TopFunctions processes_;                                   // uses FunctionKey::function alone
  std::vector<std::pair<std::string, TopFunctions>> blame_;  // in the order first configured
  std::vector<std::string> blamed_;
  std::map<std::string, TopFunctions> growth_;  // by allocator; bytes
  NifHolds nif_holds_;
  struct Interval {
    double working = 0, in_nifs = 0;  // CPU seconds of schedulers
  } interval_;
  std::optional<double> nif_time_ratio_;
  SchedulerClock clock_;
  double samples_ = 0;
  std::array<double, attribution::unattributed_names.size()> unattributed_{};
  bool sampled_ = false;
  sampling::Losses settled_losses_, current_losses_;
  std::optional<sampling::SourceCost> settled_cost_, current_cost_;
  std::map<std::string, double> torn_reads_ = {{"code", 0}};
  Histogram read_delay_;
};

}  // namespace beam_exporter::totals
