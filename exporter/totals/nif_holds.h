#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "attribution/attribution.h"
#include "sampling/raw_sample.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// How long single NIF calls held a normal scheduler. Two samples of a scheduler are of the same
// call when two counters say so. The scheduler's own count of reductions grows whenever a process
// is scheduled out, by at least ERTS_PROC_MIN_CONTEXT_SWITCH_REDS_COST (erl_process.c
// erts_schedule, OTP 25 and 27): the same count is the same timeslice. In a timeslice the
// reductions left only fall, by one at least with each call of a NIF (jit/x86/instr_bif.cpp
// emit_call_nif_yield_helper); what enif_schedule_nif has scheduled is called in a timeslice of its
// own. What is observed is the time from a call's first sample to its last one: a lower bound, 0
// for a call that was seen once. A call that gives up reductions in its midst (enif_send,
// enif_consume_timeslice) is seen as several shorter ones. Where the counters are not known nothing
// is observed. One thread.
class NifHolds {
 public:
  NifHolds();

  void add(const sampling::RawSample& sample, const attribution::Attribution& meaning);
  // The VM is gone.
  void forget();

  const Histogram& seconds() const { return seconds_; }

 private:
  struct Call {
    beam::Eterm process = 0;
    std::uint64_t scheduled_out = 0;  // reductions of the scheduler before this timeslice
    std::int64_t fcalls = 0;
    friend bool operator==(const Call&, const Call&) = default;
  };
  struct Seen {
    Call call;
    std::chrono::nanoseconds first{}, last{};  // CLOCK_MONOTONIC
  };
  void end(const Seen& seen);

  Histogram seconds_;
  std::map<unsigned, Seen> open_;  // by number of the normal scheduler
};

}  // namespace beam_exporter::totals
