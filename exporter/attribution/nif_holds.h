#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "attribution/attribution.h"
#include "attribution/snapshot.h"
#include "sampling/raw_sample.h"

namespace beam_exporter::attribution {

// How long single NIF calls held a normal scheduler. Consecutive samples of a scheduler are of the
// same call when process, NIF, heap top, stack top and the reductions left are the same: each call
// costs a reduction (beam/jit/x86/instr_bif.cpp emit_call_nif_yield_helper, OTP 25), so another
// call of the same NIF has other ones. What is observed is the time from a call's first sample to
// its last one: a lower bound, 0 for a call that was seen once. Where the reductions are not known
// (a layout without them) nothing is observed. One thread.
class NifHolds {
 public:
  NifHolds();

  void add(const sampling::RawSample& sample, const Attribution& meaning);
  // The VM is gone.
  void forget();

  const Histogram& seconds() const { return seconds_; }

 private:
  struct Call {
    beam::Eterm process = 0;
    os::Address current = 0, htop = 0, stop = 0;
    std::int64_t fcalls = 0;
    friend bool operator==(const Call&, const Call&) = default;
  };
  struct Seen {
    Call call;
    std::chrono::nanoseconds first{}, last{};
  };
  void end(const Seen& seen);

  Histogram seconds_;
  std::map<unsigned, Seen> open_;  // by number of the normal scheduler
};

}  // namespace beam_exporter::attribution
