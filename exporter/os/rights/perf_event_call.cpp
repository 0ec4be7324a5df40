#include "os/rights/perf_event_call.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "os/rights/raised_admin.h"

namespace beam_exporter::os {

namespace {

UniqueFd call(perf_event_attr& attr, pid_t tid) {
  return UniqueFd(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

bool is_refusal(int error) { return error == EACCES || error == EPERM; }

}  // namespace

UniqueFd open_perf_event(perf_event_attr& attr, pid_t tid) {
  UniqueFd fd = call(attr, tid);
  if (fd || !is_refusal(errno)) return fd;
  int error = errno;
  if (const RaisedAdmin admin; admin) {
    fd = call(attr, tid);
    error = errno;
  }
  errno = error;
  return fd;
}

bool perf_events_need_admin() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.disabled = 1;
  if (call(attr, 0) || !is_refusal(errno)) return false;
  const RaisedAdmin admin;
  return admin && call(attr, 0);
}

}  // namespace beam_exporter::os
