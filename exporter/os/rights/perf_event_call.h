#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include "os/unique_fd.h"

namespace beam_exporter::os {

// perf_event_open(2) of one thread (0: the calling one) on whatever CPU, closed on exec. Where it
// is refused and the calling thread is permitted CAP_SYS_ADMIN without having it in effect, it is
// asked once more with that raised. Empty, with errno as the call left it, when that fails too. Any
// thread.
UniqueFd open_perf_event(perf_event_attr& attr, pid_t tid);

// Whether this kernel opens events only with CAP_SYS_ADMIN, found by trying on the calling thread,
// which must be permitted it and not have it in effect. Debian's and Ubuntu's kernels do from
// kernel.perf_event_paranoid 3 or 4 on, whatever else is held (perf_paranoid_any in their
// kernel/events/core.c).
bool perf_events_need_admin();

}  // namespace beam_exporter::os
