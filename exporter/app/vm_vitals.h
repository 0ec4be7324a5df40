#pragma once

#include <optional>

#include "attribution/snapshot.h"
#include "os/process.h"

namespace beam_exporter::app {

// What /proc says of the VM as a process. Its CPU time is a counter over every VM watched: a
// restarted VM adds to what the former one used. One thread.
class VmVitals {
 public:
  // nullopts where /proc cannot be read.
  void look(const os::Process& process, attribution::Snapshot& snapshot);
  // Without a VM only the counters remain.
  void write_counters(attribution::Snapshot& snapshot) const;
  void forget_vm();

 private:
  struct CpuTime {
    double user = 0, system = 0;
  };
  std::optional<CpuTime> settled_;  // of former VMs
  std::optional<CpuTime> current_;
};

}  // namespace beam_exporter::app
