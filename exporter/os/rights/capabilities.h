#pragma once

#include <string>

#include "os/result.h"

namespace beam_exporter::os {

// Our own rights, as far as they matter for watching another process.
struct Capabilities {
  bool sys_ptrace = false;
  bool perfmon = false;  // CAP_PERFMON, or CAP_SYS_ADMIN which includes it
  bool bpf = false;      // CAP_BPF, or CAP_SYS_ADMIN
  // A seccomp filter refuses us these system calls, as far as we can see: without CAP_BPF, Linux
  // before 6.5 itself answers the same to bpf.
  bool perf_filtered = false, bpf_filtered = false;
  bool admin_given_up = false;  // drop_other_capabilities() took CAP_SYS_ADMIN away
};

Capabilities own_capabilities();

// Gives up, for good, every capability except those that the exporter uses: SYS_PTRACE, PERFMON,
// BPF, IPC_LOCK, DAC_READ_SEARCH and CHECKPOINT_RESTORE. SYS_ADMIN stays
//   effective, where PERFMON or BPF is missing: SYS_ADMIN includes both (old runtimes);
//   else permitted but not effective (RaisedAdmin), where this kernel opens perf events only with
//   SYS_ADMIN (perf_events_need_admin()), or with `uprobes`, which only SYS_ADMIN may place
//   (perf_uprobe_event_init, Linux 6.18);
//   else not at all. If kernel.perf_event_paranoid is raised later, a restart is needed.
// The process cannot gain capabilities later: no_new_privs is set, and where CAP_SETPCAP is held,
// the others leave the bounding set too. Call this before other threads are made: they inherit what
// stays. Error: system, when the kernel refuses.
Status drop_other_capabilities(bool uprobes = false);

}  // namespace beam_exporter::os
