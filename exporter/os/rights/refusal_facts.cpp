#include "os/rights/refusal_facts.h"

#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "os/kernel_setting.h"
#include "os/rights/capabilities.h"

namespace beam_exporter::os {

namespace {

void add_capabilities(RefusalFacts& facts) {
  const std::unique_ptr<std::remove_pointer_t<cap_t>, int (*)(void*)> caps(cap_get_proc(),
                                                                           cap_free);
  const auto holds = [&](cap_value_t capability, cap_flag_t set) {
    cap_flag_value_t value = CAP_CLEAR;
    return caps && cap_get_flag(caps.get(), capability, set, &value) == 0 && value == CAP_SET;
  };
  for (cap_value_t capability = 0; capability < 64; ++capability) {
    const int bounding = prctl(PR_CAPBSET_READ, capability);
    if (bounding < 0) break;
    const auto bit = std::uint64_t{1} << capability;
    facts.all_capabilities |= bit;
    if (bounding == 1) facts.bounding |= bit;
    if (holds(capability, CAP_EFFECTIVE)) facts.effective |= bit;
    if (holds(capability, CAP_PERMITTED)) facts.permitted |= bit;
  }
}

// PROC_USER_INIT_INO, include/linux/proc_ns.h: the initial namespace has this inode in every
// kernel.
bool in_own_user_namespace() {
  constexpr ino_t initial = 0xEFFFFFFD;
  struct stat status {};
  return stat("/proc/self/ns/user", &status) == 0 && status.st_ino != initial;
}

// The file is absent where securityfs is not mounted, as in most containers.
bool locked_down() {
  std::string modes;
  std::getline(std::ifstream("/sys/kernel/security/lockdown"), modes);
  return modes.find("[confidentiality]") != std::string::npos;
}

// gVisor's release names change ("4.4.0", "4.19.0-gvisor"); this build date does not.
bool in_gvisor() {
  utsname names{};
  return uname(&names) == 0 &&
         std::string_view(names.version).starts_with("#1 SMP Sun Jan 10 15:06:54 PST 2016");
}

bool is_before(int major, int minor) {
  utsname names{};
  int own_major = 0, own_minor = 0;
  // The kernel writes these numbers, so they fit. NOLINTNEXTLINE(cert-err34-c)
  return uname(&names) == 0 && std::sscanf(names.release, "%d.%d", &own_major, &own_minor) == 2 &&
         std::pair(own_major, own_minor) < std::pair(major, minor);
}

}  // namespace

RefusalFacts refusal_facts() {
  const auto own = own_capabilities();
  RefusalFacts facts;
  facts.user = geteuid();
  add_capabilities(facts);
  facts.admin_given_up = own.admin_given_up;
  facts.own_user_namespace = in_own_user_namespace();
  facts.perf_filtered = own.perf_filtered;
  facts.bpf_filtered = own.bpf_filtered;
  facts.locked_down = locked_down();
  facts.gvisor = in_gvisor();
  facts.before_5_15 = is_before(5, 15);  // such a kernel lacks attach cookies and bpf_timer
  facts.perf_event_paranoid = kernel_setting("/proc/sys/kernel/perf_event_paranoid");
  return facts;
}

}  // namespace beam_exporter::os
