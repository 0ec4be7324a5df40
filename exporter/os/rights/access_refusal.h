#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace beam_exporter::os {

// Who a process is. Capabilities are masks: bit CAP_X.
struct Credentials {
  uid_t user = 0;  // effective
  gid_t group = 0;
  std::uint64_t permitted = 0, effective = 0, bounding = 0;
};

// What the kernel asks before it lets one process read another's memory (__ptrace_may_access,
// kernel/ptrace.c; cap_ptrace_access_check, security/commoncap.c; Yama, security/yama).
struct AccessFacts {
  Credentials own, target;
  bool target_dumpable = true;  // as far as can be told; PR_SET_DUMPABLE, prctl(2)
  int ptrace_scope = 0;         // Yama's; 0: it is not there, or asks for no more
};

// As /proc tells it now; nullopt when the target is gone. Any thread.
std::optional<AccessFacts> access_facts(pid_t target);

// Which fact is behind a refusal, and the mend: "it runs as user 1000, ...: run as ...".
std::string why_refused(const AccessFacts& facts);

}  // namespace beam_exporter::os
