#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include "os/unique_fd.h"

namespace beam_exporter::os {

// perf_event_open(2) for one thread (0: the calling one), whichever CPU it runs on; the descriptor
// is closed on exec. If the kernel refuses, and the calling thread has CAP_SYS_ADMIN permitted but
// not effective, this raises CAP_SYS_ADMIN and tries once more. Empty, with the errno of the call,
// when that fails too. Any thread.
UniqueFd open_perf_event(perf_event_attr& attr, pid_t tid);

// Whether this kernel opens events only with CAP_SYS_ADMIN. Tries it on the calling thread, which
// must have CAP_SYS_ADMIN permitted but not effective. Debian's and Ubuntu's kernels do so from
// kernel.perf_event_paranoid 3 or 4 on, whatever other capabilities are held (perf_paranoid_any in
// their kernel/events/core.c).
bool perf_events_need_admin();

}  // namespace beam_exporter::os
