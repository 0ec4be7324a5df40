#pragma once

#include <optional>

#include "os/process/process.h"
#include "totals/snapshot.h"

namespace beam_exporter::session {

// What /proc says of the VM as a process. Its CPU time is a counter over every VM watched: a
// restarted VM adds to what the former one used. One thread.
class ProcessUsage {
 public:
  // nullopts where /proc cannot be read.
  void look(const os::Process& process, totals::Snapshot& snapshot);
  // Without a VM only the counters remain.
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
