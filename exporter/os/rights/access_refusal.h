#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace beam_exporter::os {

// The credentials of a process. Capabilities are masks: bit CAP_X.
struct Credentials {
  uid_t user = 0;  // effective
  gid_t group = 0;
  std::uint64_t permitted = 0, effective = 0, bounding = 0;
};

// The facts that the kernel checks before one process may read another's memory
// (__ptrace_may_access, kernel/ptrace.c; cap_ptrace_access_check, security/commoncap.c; Yama,
// security/yama).
struct AccessFacts {
  Credentials own, target;
  bool target_dumpable = true;  // as far as we can see; PR_SET_DUMPABLE, prctl(2)
  int ptrace_scope = 0;         // of Yama; 0: Yama is not there, or adds no check
};

// The facts now, from /proc; nullopt when the target is gone. Any thread.
std::optional<AccessFacts> access_facts(pid_t target);

// Which fact causes a refusal, and how to fix it: "it runs as user 1000, ...: run as ...".
std::string why_refused(const AccessFacts& facts);

}  // namespace beam_exporter::os
