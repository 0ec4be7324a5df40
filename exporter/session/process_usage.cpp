#include "session/process_usage.h"

#include "os/process/process_stat.h"

namespace beam_exporter::session {

void ProcessUsage::look(const os::Process& process, totals::Snapshot& snapshot) {
  totals::VmProcess out{.pid = process.pid()};
  if (const auto stat = os::read_process_stat(process.directory())) {
    out.start_time_seconds = stat->start_time_seconds;
    out.threads = static_cast<double>(stat->threads);
    if (stat->open_fds) out.open_fds = static_cast<double>(*stat->open_fds);
    if (stat->max_fds) out.max_fds = static_cast<double>(*stat->max_fds);
    current_ = CpuTime{stat->user_seconds, stat->system_seconds};
  }
  snapshot.process = out;
  write_counters(snapshot);
}

void ProcessUsage::write_counters(totals::Snapshot& snapshot) const {
  if (!settled_ && !current_) return;
  const CpuTime before = settled_.value_or(CpuTime{}), now = current_.value_or(CpuTime{});
  snapshot.vm_cpu_user_seconds = before.user + now.user;
  snapshot.vm_cpu_system_seconds = before.system + now.system;
}

void ProcessUsage::forget_vm() {
  if (!current_) return;
  const CpuTime before = settled_.value_or(CpuTime{});
  settled_ = CpuTime{before.user + current_->user, before.system + current_->system};
  current_.reset();
}

}  // namespace beam_exporter::session
