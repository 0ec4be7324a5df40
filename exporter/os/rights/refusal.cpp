#include "os/rights/refusal.h"

#include <sys/capability.h>

#include <string_view>
#include <vector>

namespace beam_exporter::os {

namespace {

struct Named {
  cap_value_t capability;
  std::string_view name;
};
constexpr Named perfmon{CAP_PERFMON, "CAP_PERFMON"}, bpf{CAP_BPF, "CAP_BPF"};

bool in(std::uint64_t set, cap_value_t capability) { return set >> capability & 1; }

// CAP_SYS_ADMIN includes both CAP_PERFMON and CAP_BPF (include/linux/capability.h).
bool holds(const RefusalFacts& facts, const Named& wanted) {
  return in(facts.effective, wanted.capability) || in(facts.effective, CAP_SYS_ADMIN);
}

// A container runtime puts the capabilities of a container into the bounding set, and into the
// effective set for user 0 alone. A bounding set that holds everything (no runtime made it smaller)
// tells nothing.
bool given_in_vain(const RefusalFacts& facts, const Named& wanted) {
  return facts.user != 0 && facts.bounding != facts.all_capabilities &&
         in(facts.bounding, wanted.capability) && !holds(facts, wanted);
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
  return text;
}

// How to get those of `wanted` that are not held; empty when all are held.
std::string how_to_get(const RefusalFacts& facts, const std::vector<Named>& wanted) {
  std::vector<std::string> missing, in_vain;
  for (const auto& one : wanted) {
    if (given_in_vain(facts, one))
      in_vain.emplace_back(one.name);
    else if (!holds(facts, one))
      missing.emplace_back(one.name);
  }
  std::vector<std::string> fixes;
  if (!in_vain.empty())
    fixes.push_back("run as user 0, or with file capabilities: the container was given " +
                    join(in_vain, " and ") + ", but without effect for user " +
                    std::to_string(facts.user));
  if (!missing.empty()) fixes.push_back("add " + join(missing, " and "));
  return join(fixes, "; ");
}

// For a kernel that opens events only with CAP_SYS_ADMIN: Debian's and Ubuntu's.
std::string paranoid_fix(const RefusalFacts& facts) {
  const auto for_tick = how_to_get(facts, {bpf, perfmon});
  return "kernel.perf_event_paranoid is " + std::to_string(*facts.perf_event_paranoid) +
         ", and then this kernel asks for CAP_SYS_ADMIN: " +
         (facts.admin_given_up
              ? "restart the exporter, which gave it up when the kernel did not ask for it"
              : "add it") +
         ", or set the sysctl to 2" +
         (holds(facts, perfmon) ? "" : " and " + how_to_get(facts, {perfmon})) +
         (facts.before_5_15  ? std::string()
          : for_tick.empty() ? " (the tick source needs neither)"
                             : "; the tick source needs neither: " + for_tick);
}

constexpr std::string_view forbidden =
    "nothing that the exporter can see forbids it: a security module (SELinux, AppArmor) does";

}  // namespace

std::string perf_refusal(const RefusalFacts& facts) {
  const std::string refused = "perf_event_open is refused";
  if (facts.gvisor) return refused + ": this is gVisor, which has no perf events";
  const bool held = holds(facts, perfmon);
  const bool paranoid = facts.perf_event_paranoid.value_or(0) >= 3;
  std::vector<std::string> fixes;
  if (held && facts.own_user_namespace)
    fixes.emplace_back("it must be held in the initial user namespace (hostUsers: true)");
  else if (paranoid && !in(facts.permitted, CAP_SYS_ADMIN))
    fixes.push_back(paranoid_fix(facts));
  else if (!held)
    fixes.push_back(how_to_get(facts, {perfmon}));
  if (facts.perf_filtered)
    fixes.emplace_back(held && fixes.empty() ? "add a seccomp profile that allows it"
                                             : "a seccomp profile that allows it");
  if (fixes.empty()) fixes.emplace_back(forbidden);
  std::string text =
      refused + (held ? " though CAP_PERFMON is held: " : ": ") + join(fixes, ", and ");
  if (!held && !paranoid && facts.perf_event_paranoid)
    text +=
        " (without it the VM's user may sample while kernel.perf_event_paranoid is at most 2; it "
        "is " +
        std::to_string(*facts.perf_event_paranoid) + ")";
  return text;
}

std::string bpf_refusal(const RefusalFacts& facts) {
  const std::string refused = "eBPF is refused";
  if (facts.before_5_15) return refused + ": this kernel is older than Linux 5.15, which it needs";
  if (facts.gvisor) return refused + ": this is gVisor, which has none";
  const std::string profile = "a seccomp profile that allows bpf";
  if (const auto fix = how_to_get(facts, {bpf, perfmon}); !fix.empty())
    return refused + ": " + fix + (facts.bpf_filtered ? ", and " + profile : "");
  std::vector<std::string> fixes;
  if (facts.own_user_namespace)
    fixes.emplace_back("they must be held in the initial user namespace (hostUsers: true)");
  if (facts.locked_down)
    fixes.emplace_back("the kernel must not be locked down for confidentiality");
  if (facts.bpf_filtered) fixes.push_back("add " + profile);
  if (fixes.empty()) fixes.emplace_back(forbidden);
  return refused + " though CAP_BPF and CAP_PERFMON are held: " + join(fixes, ", and ");
}

std::string tick_refusal(const RefusalFacts& facts) {
  if (facts.gvisor || facts.before_5_15 || facts.own_user_namespace || facts.locked_down ||
      facts.bpf_filtered || !how_to_get(facts, {bpf, perfmon}).empty())
    return bpf_refusal(facts);
  return "the kernel's tick is refused though CAP_BPF and CAP_PERFMON are held: "
         "this kernel allows no tracing programs";
}

}  // namespace beam_exporter::os
