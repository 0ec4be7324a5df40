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
  bool admin_given_up = false;  // drop_other_capabilities() took CAP_SYS_ADMIN away
};

Capabilities own_capabilities();

// Gives up, for good, every capability but the ones the exporter works with: SYS_PTRACE, PERFMON,
// BPF, IPC_LOCK, DAC_READ_SEARCH and CHECKPOINT_RESTORE. Of SYS_ADMIN stays what is asked for:
//   in effect, where PERFMON or BPF are not held, which it then stands in for (old runtimes);
//   else permitted and out of effect (RaisedAdmin), where this kernel opens perf events with it
//   alone (perf_events_need_admin()), or for `uprobes`, which it alone may place
//   (perf_uprobe_event_init, Linux 6.18); else nothing, and a kernel.perf_event_paranoid that is
//   raised later asks for a restart.
// Never gains any: no_new_privs is set, and where CAP_SETPCAP is held the others leave the bounding
// set too. Called before other threads are made, which inherit what stays. Error: system, when the
// kernel refuses.
Status drop_other_capabilities(bool uprobes = false);

}  // namespace beam_exporter::os
