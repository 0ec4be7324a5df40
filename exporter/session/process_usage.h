#pragma once

#include <optional>

#include "os/process/process.h"
#include "totals/snapshot.h"

namespace beam_exporter::session {

// The VM as a process, from /proc. Its CPU time is a counter over every VM watched: a restarted VM
// adds to the time of the former ones. One thread.
class ProcessUsage {
 public:
  // Writes nullopt where /proc cannot be read.
  void look(const os::Process& process, totals::Snapshot& snapshot);
  // Writes the counters only: for a time without a VM.
  void write_counters(totals::Snapshot& snapshot) const;
  void forget_vm();

 private:
  struct CpuTime {
    double user = 0, system = 0;
  };
  std::optional<CpuTime> settled_;  // of former VMs
  std::optional<CpuTime> current_;
};

}  // namespace beam_exporter::session
