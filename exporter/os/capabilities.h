#pragma once

#include <string>

#include "os/result.h"

namespace beam_exporter::os {

// What of our privilege bears on watching another process.
struct Capabilities {
  bool sys_ptrace = false;
  bool perfmon = false;  // CAP_PERFMON, or CAP_SYS_ADMIN which includes it
  bool bpf = false;      // CAP_BPF, or CAP_SYS_ADMIN
  // A seccomp filter refuses these system calls to us, as far as can be told: without CAP_BPF,
  // Linux before 6.5 gives bpf the same answer.
  bool perf_filtered = false, bpf_filtered = false;
};

Capabilities own_capabilities();

// Gives up, for good, every capability but the ones the exporter works with (SYS_PTRACE, PERFMON,
// BPF, IPC_LOCK, DAC_READ_SEARCH, CHECKPOINT_RESTORE and, without PERFMON/BPF to hold, SYS_ADMIN).
// Never gains any: no_new_privs is set, and where CAP_SETPCAP is held the others leave the bounding
// set too. `uprobes`: keeps SYS_ADMIN, which alone may place them (perf_uprobe_event_init, Linux
// 6.18). Error: system, when the kernel refuses.
Status drop_other_capabilities(bool uprobes = false);

}  // namespace beam_exporter::os
