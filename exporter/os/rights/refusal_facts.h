#pragma once

#include <cstdint>
#include <optional>

namespace beam_exporter::os {

// Facts that can be the cause when the kernel refuses us something. A set of capabilities has bit N
// for capability number N.
struct RefusalFacts {
  unsigned user = 0;  // effective user id
  std::uint64_t effective = 0, permitted = 0, bounding = 0;
  std::uint64_t all_capabilities = 0;  // those that this kernel knows
  bool admin_given_up = false;         // we held CAP_SYS_ADMIN at our start
  // We are not in the initial user namespace, where these capabilities have an effect.
  bool own_user_namespace = false;
  bool perf_filtered = false;              // a seccomp filter refuses perf_event_open
  bool bpf_filtered = false;               // a seccomp filter refuses bpf
  bool locked_down = false;                // the kernel, for confidentiality (kernel_lockdown(7))
  bool gvisor = false;                     // the kernel is gVisor's
  bool before_5_15 = false;                // the kernel is too old for our BPF programs
  std::optional<int> perf_event_paranoid;  // kernel.perf_event_paranoid
};

// The facts of the calling thread, now.
RefusalFacts refusal_facts();

}  // namespace beam_exporter::os
