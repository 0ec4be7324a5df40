#include "os/capabilities.h"

#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>

namespace beam_exporter::os {

namespace {

using Caps = std::unique_ptr<std::remove_pointer_t<cap_t>, int (*)(void*)>;

bool holds(const Caps& caps, cap_value_t capability) {
  cap_flag_value_t value = CAP_CLEAR;
  return caps && cap_get_flag(caps.get(), capability, CAP_EFFECTIVE, &value) == 0 &&
         value == CAP_SET;
}

// What no rights are asked for: a kernel that is reached finds the arguments absurd.
bool refused(long answer) { return answer < 0 && (errno == EPERM || errno == ENOSYS); }
bool perf_refused() { return refused(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, ~0UL)); }
bool bpf_refused() { return refused(syscall(SYS_bpf, -1, nullptr, 0)); }

bool seccomp_filter_active() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Seccomp:")) return line.back() == '2';
  return false;
}

constexpr std::array<cap_value_t, 7> worked_with = {
    CAP_SYS_PTRACE, CAP_PERFMON,         CAP_BPF,
    CAP_IPC_LOCK,   CAP_DAC_READ_SEARCH, CAP_CHECKPOINT_RESTORE,  // /proc/PID/map_files
    CAP_SYS_ADMIN};

// What an exec could give back. Asks for CAP_SETPCAP; without it the set stays as it is, and
// no_new_privs stands alone.
void drop_from_bounding_set(std::span<const cap_value_t> kept) {
  for (cap_value_t capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
    if (!std::ranges::count(kept, capability)) prctl(PR_CAPBSET_DROP, capability);
}

Error failed(const std::string& what) {
  return {ErrorKind::system, what + ": " + std::strerror(errno)};
}

}  // namespace

Capabilities own_capabilities() {
  const Caps caps(cap_get_proc(), cap_free);
  const bool admin = holds(caps, CAP_SYS_ADMIN), filter = seccomp_filter_active();
  return {.sys_ptrace = holds(caps, CAP_SYS_PTRACE),
          .perfmon = admin || holds(caps, CAP_PERFMON),
          .bpf = admin || holds(caps, CAP_BPF),
          .perf_filtered = filter && perf_refused(),
          .bpf_filtered = filter && bpf_refused()};
}

Status drop_other_capabilities(bool uprobes) {
  const Caps held(cap_get_proc(), cap_free);
  const Caps kept(cap_init(), cap_free);
  // SYS_ADMIN only stands in for PERFMON and BPF where a runtime knows no finer ones.
  const bool finer = !uprobes && holds(held, CAP_PERFMON) && holds(held, CAP_BPF);
  const auto wanted = std::span(worked_with).first(worked_with.size() - (finer ? 1 : 0));
  for (const auto& capability : wanted) {
    if (!holds(held, capability)) continue;
    cap_set_flag(kept.get(), CAP_PERMITTED, 1, &capability, CAP_SET);
    cap_set_flag(kept.get(), CAP_EFFECTIVE, 1, &capability, CAP_SET);
  }
  drop_from_bounding_set(wanted);
  if (cap_set_proc(kept.get()) != 0) return failed("cannot drop capabilities");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("cannot set no_new_privs");
  return Done{};
}

}  // namespace beam_exporter::os
