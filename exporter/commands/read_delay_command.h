#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "beam/layout/layout_library.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::commands {

// How often what the perf source reads late would have been wrong: each sample is taken whole in
// its instant by the eBPF source, then completed a second time from what perf would have carried of
// it and late reads. Counts are of samples in which a scheduler was executing a process.
struct ReadDelayReport {
  int pid = 0;
  std::uint64_t samples = 0;
  std::uint64_t no_process = 0;      // late, the scheduler executed none
  std::uint64_t other_process = 0;   // late, it executed another one
  std::uint64_t other_function = 0;  // same process, another function on top of its stack
  std::uint64_t other_callers = 0;   // same function, other functions below it
  std::uint64_t not_compared = 0;    // lost in the ring, or taken while the VM changed its code
  std::vector<std::chrono::nanoseconds>
      delays;  // instant to last late read, ascending, one a sample
};

// `beam_exporter check --skid`. Needs the rights of the eBPF source; errors as its start.
os::Result<ReadDelayReport> measure_read_delay(const os::Process& process,
                                               const beam::LayoutLibrary& library,
                                               std::chrono::seconds duration, unsigned frequency);

// Of a VM that executed nothing they say so: there is no share and no delay to tell.
std::string read_delay_text(const ReadDelayReport& report);
std::string read_delay_json(const ReadDelayReport& report);

}  // namespace beam_exporter::commands
