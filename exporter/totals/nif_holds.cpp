#include "totals/nif_holds.h"

#include <algorithm>

#include "totals/histogram.h"

namespace beam_exporter::totals {

NifHolds::NifHolds()
    : seconds_(
          empty_histogram({0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10})) {}

void NifHolds::add(const sampling::RawSample& sample, const attribution::Attribution& meaning) {
  if (sample.role.kind != beam::ThreadKind::normal) return;
  const auto open = open_.find(sample.role.number);
  // Where current_nif is 0, the NIF had ended when the counters were read.
  if (!meaning.in_nif || !sample.process || !sample.process->fcalls || !sample.scheduler ||
      !sample.scheduler->reductions || sample.scheduler->current_nif == 0) {
    if (open != open_.end()) {
      end(open->second);
      open_.erase(open);
    }
    return;
  }
  const Call call{sample.process->id, *sample.scheduler->reductions, *sample.process->fcalls};
  if (open != open_.end()) {
    if (open->second.call == call) {
      open->second.last = std::max(open->second.last, sample.time);
      return;
    }
    end(open->second);
  }
  // The counters were read `read_delay` after the sample: they may be of a call that began in
  // between.
  const auto known_since = sample.time + sample.read_delay;
  open_[sample.role.number] = {call, known_since, known_since};
}

void NifHolds::forget() {
  for (const auto& [number, seen] : open_) end(seen);
  open_.clear();
}

void NifHolds::end(const Seen& seen) {
  add_observation(seconds_, std::chrono::duration<double>(seen.last - seen.first).count());
}

}  // namespace beam_exporter::totals
