#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "beam/layout/layout_library.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::commands {

// How often the late reads of the perf source would have been wrong. The eBPF source takes each
// sample whole in one instant. Each is then completed a second time: from the part that perf would
// have carried, and from late reads. The counts are of samples in which a scheduler was executing a
// process.
struct ReadDelayReport {
  int pid = 0;
  std::uint64_t samples = 0;
  std::uint64_t no_process = 0;      // in the late reads the scheduler executed no process
  std::uint64_t other_process = 0;   // in the late reads it executed another process
  std::uint64_t other_function = 0;  // same process, another function on top of its stack
  std::uint64_t other_callers = 0;   // same function, other functions below it
  std::uint64_t not_compared = 0;    // lost in the ring, or taken while the VM changed its code
  std::vector<std::chrono::nanoseconds>
      delays;  // from instant to last late read, ascending, one per sample
};

// `beam_exporter check --skid`. Needs the rights of the eBPF source. Errors: those of attaching and
// of EbpfSource::start.
os::Result<ReadDelayReport> measure_read_delay(const os::Process& process,
                                               const beam::LayoutLibrary& library,
                                               std::chrono::seconds duration, unsigned frequency);

// When the VM executed no process there is no share and no delay; then the text says so.
std::string read_delay_text(const ReadDelayReport& report);
std::string read_delay_json(const ReadDelayReport& report);

}  // namespace beam_exporter::commands
