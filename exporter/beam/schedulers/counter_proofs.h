#pragma once

#include <string>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/schedulers/schedulers.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// The counters at the end of ErtsSchedulerData moved within OTP 24 and 25, so that a layout of the
// same release may be wrong about them and about nothing else. Each group of them has a proof of
// its own: where it does not hold, that group is left out. Takes microseconds; reads only.
struct PartProof {
  bool ok = false;
  std::string detail;  // what was seen, one line
};

struct CounterProofs {
  PartProof io, reductions, ets_tables;
};

// Bytes through ports: the scheduler's number lies right before its two counters.
PartProof prove_io(const Layout& layout, const os::Memory& memory,
                   const std::vector<Scheduler>& schedulers);

// Reductions and context switches, in the schedulers and in their run queues: the two tell of the
// same events. False also for a VM that is so young that this says nothing.
PartProof prove_reductions(const Layout& layout, const os::Memory& memory,
                           const std::vector<Scheduler>& schedulers);

// The lists of ETS tables are rings of tables, as many as are counted. A list that changes while it
// is read says nothing; one that fits is enough. False also for a VM that has no table yet.
PartProof prove_ets_tables(const Layout& layout, const os::Memory& memory,
                           const std::vector<Scheduler>& schedulers);

}  // namespace beam_exporter::beam
