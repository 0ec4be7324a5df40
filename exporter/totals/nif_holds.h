#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "attribution/attribution.h"
#include "sampling/raw_sample.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// How long single NIF calls held a normal scheduler. Two samples of a scheduler belong to the same
// call when two counters are equal in both:
// - The scheduler's own count of reductions. It grows whenever a process is scheduled out, by at
// least ERTS_PROC_MIN_CONTEXT_SWITCH_REDS_COST (erl_process.c erts_schedule, OTP 25 and 27), so the
// same count means the same timeslice.
// - The reductions that the process has left. Within a timeslice they only fall, by at least one
// with each call of a NIF (jit/x86/instr_bif.cpp emit_call_nif_yield_helper). A function that
// enif_schedule_nif has scheduled runs in a timeslice of its own.
// The observed time goes from the first sample of a call to its last one. It is a lower bound, and
// 0 for a call that was sampled once. A call that gives up reductions while it runs (enif_send,
// enif_consume_timeslice) looks like several shorter ones. Where the counters are not known,
// nothing is observed. One thread.
class NifHolds {
 public:
  NifHolds();

  void add(const sampling::RawSample& sample, const attribution::Attribution& meaning);
  // The VM is gone: ends all open calls.
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
