#include "os/rights/capabilities.h"

#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <memory>
#include <span>
#include <system_error>

#include "os/rights/perf_event_call.h"

namespace beam_exporter::os {

namespace {

using Caps = std::unique_ptr<std::remove_pointer_t<cap_t>, int (*)(void*)>;

bool holds(const Caps& caps, cap_value_t capability) {
  cap_flag_value_t value = CAP_CLEAR;
  return caps && cap_get_flag(caps.get(), capability, CAP_EFFECTIVE, &value) == 0 &&
         value == CAP_SET;
}

// Calls that need no rights: the arguments are invalid, so that a kernel that is reached refuses
// them for that reason.
bool refused(long answer) { return answer < 0 && (errno == EPERM || errno == ENOSYS); }
bool perf_refused() { return refused(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, ~0UL)); }
bool bpf_refused() { return refused(syscall(SYS_bpf, -1, nullptr, 0)); }

bool seccomp_filter_active() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Seccomp:")) return line.back() == '2';
  return false;
}

constexpr std::array<cap_value_t, 6> needed_capabilities = {
    CAP_SYS_PTRACE, CAP_PERFMON,         CAP_BPF,
    CAP_IPC_LOCK,   CAP_DAC_READ_SEARCH, CAP_CHECKPOINT_RESTORE /* for /proc/PID/map_files */};
constexpr cap_value_t admin = CAP_SYS_ADMIN;

std::atomic<bool> admin_given_up = false;

// Removes what an exec could give back. Needs CAP_SETPCAP; without it the bounding set stays as it
// is, and only no_new_privs protects.
void drop_from_bounding_set(bool keep_admin) {
  for (cap_value_t capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
    if (!std::ranges::count(needed_capabilities, capability) &&
        !(keep_admin && capability == admin))
      prctl(PR_CAPBSET_DROP, capability);
}

Error failed(const std::string& what) {
  return {ErrorKind::system, what + ": " + std::generic_category().message(errno)};
}

}  // namespace

Capabilities own_capabilities() {
  const Caps caps(cap_get_proc(), cap_free);
  const bool all = holds(caps, admin), filter = seccomp_filter_active();
  return {.sys_ptrace = holds(caps, CAP_SYS_PTRACE),
          .perfmon = all || holds(caps, CAP_PERFMON),
          .bpf = all || holds(caps, CAP_BPF),
          .perf_filtered = filter && perf_refused(),
          .bpf_filtered = filter && bpf_refused(),
          .admin_given_up = admin_given_up};
}

Status drop_other_capabilities(bool uprobes) {
  const Caps held(cap_get_proc(), cap_free);
  const Caps kept(cap_init(), cap_free);
  for (const auto& capability : needed_capabilities) {
    if (!holds(held, capability)) continue;
    cap_set_flag(kept.get(), CAP_PERMITTED, 1, &capability, CAP_SET);
    cap_set_flag(kept.get(), CAP_EFFECTIVE, 1, &capability, CAP_SET);
  }
  const bool finer = holds(held, CAP_PERFMON) && holds(held, CAP_BPF);
  drop_from_bounding_set(!finer);
  if (holds(held, admin)) {
    cap_set_flag(kept.get(), CAP_PERMITTED, 1, &admin, CAP_SET);
    if (!finer) cap_set_flag(kept.get(), CAP_EFFECTIVE, 1, &admin, CAP_SET);
  }
  if (cap_set_proc(kept.get()) != 0) return failed("cannot drop capabilities");
  if (holds(held, admin) && finer && !uprobes && !perf_events_need_admin()) {
    cap_set_flag(kept.get(), CAP_PERMITTED, 1, &admin, CAP_CLEAR);
    if (cap_set_proc(kept.get()) != 0) return failed("cannot drop CAP_SYS_ADMIN");
    admin_given_up = true;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("cannot set no_new_privs");
  return Done{};
}

}  // namespace beam_exporter::os
