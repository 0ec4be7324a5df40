#include "os/rights/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

#include "harness/capability_sets.h"

namespace beam_exporter::os {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tests::bit;

constexpr auto all = bit(CAP_LAST_CAP + 1) - 1;
constexpr auto pods = bit(CAP_SYS_PTRACE) | bit(CAP_PERFMON) | bit(CAP_BPF);

// User 0 of a container that was given `held`, on a kernel that asks for no more than Linux's own
// does.
RefusalFacts facts(std::uint64_t held) {
  RefusalFacts facts;
  facts.effective = facts.permitted = facts.bounding = held;
  facts.all_capabilities = all;
  facts.perf_event_paranoid = 2;
  return facts;
}

TEST(PerfRefusal, names_the_missing_capability) {
  EXPECT_EQ(
      perf_refusal(facts(bit(CAP_SYS_PTRACE))),
      "perf_event_open is refused: add CAP_PERFMON (without it the VM's user may sample while "
      "kernel.perf_event_paranoid is at most 2; it is 2)");
}

TEST(PerfRefusal, names_the_sysctl_of_debian_and_ubuntu) {
  auto debian = facts(pods);
  debian.perf_event_paranoid = 3;
  EXPECT_EQ(perf_refusal(debian),
            "perf_event_open is refused though CAP_PERFMON is held: kernel.perf_event_paranoid is "
            "3, and then this kernel asks for CAP_SYS_ADMIN: add it, or set the sysctl to 2 (the "
            "tick source needs neither)");
  auto ubuntu = facts(bit(CAP_SYS_PTRACE));
  ubuntu.perf_event_paranoid = 4;
  EXPECT_THAT(perf_refusal(ubuntu),
              AllOf(HasSubstr("kernel.perf_event_paranoid is 4"),
                    HasSubstr("set the sysctl to 2 and add CAP_PERFMON"),
                    HasSubstr("the tick source needs neither: add CAP_BPF and CAP_PERFMON"),
                    Not(HasSubstr("may sample while"))));
}

TEST(PerfRefusal, a_sysctl_that_was_raised_since_our_start_asks_for_a_restart) {
  auto later = facts(pods);
  later.perf_event_paranoid = 4;
  later.admin_given_up = true;
  EXPECT_THAT(perf_refusal(later),
              AllOf(HasSubstr("restart the exporter"), Not(HasSubstr("add it"))));
}

TEST(PerfRefusal, the_sysctl_is_no_cause_where_sys_admin_is_permitted) {
  auto root = facts(pods);
  root.permitted |= bit(CAP_SYS_ADMIN);
  root.perf_event_paranoid = 4;
  EXPECT_THAT(perf_refusal(root), AllOf(Not(HasSubstr("paranoid")), HasSubstr("SELinux")));
}

TEST(PerfRefusal, names_the_seccomp_profile) {
  auto filtered = facts(pods);
  filtered.perf_filtered = true;
  EXPECT_EQ(perf_refusal(filtered),
            "perf_event_open is refused though CAP_PERFMON is held: add a seccomp profile that "
            "allows it");
  filtered = facts(bit(CAP_SYS_PTRACE));
  filtered.perf_filtered = true;
  EXPECT_THAT(perf_refusal(filtered),
              HasSubstr("add CAP_PERFMON, and a seccomp profile that allows it"));
}

TEST(PerfRefusal, names_the_sysctl_and_the_profile_where_both_are_in_the_way) {
  auto both = facts(pods);
  both.perf_event_paranoid = 3;
  both.perf_filtered = true;
  EXPECT_THAT(perf_refusal(both), AllOf(HasSubstr("kernel.perf_event_paranoid is 3"),
                                        HasSubstr(", and a seccomp profile that allows it")));
}

TEST(PerfRefusal, says_user_namespace_only_in_one) {
  auto inside = facts(pods);
  EXPECT_THAT(perf_refusal(inside), Not(HasSubstr("namespace")));
  inside.own_user_namespace = true;
  inside.perf_event_paranoid = 3;  // set to 2 it would be refused all the same
  EXPECT_EQ(perf_refusal(inside),
            "perf_event_open is refused though CAP_PERFMON is held: it must be held in the "
            "initial user namespace (hostUsers: true)");
}

TEST(PerfRefusal, says_sandbox_in_a_sandbox) {
  auto sandbox = facts(pods);
  sandbox.gvisor = true;
  EXPECT_EQ(perf_refusal(sandbox),
            "perf_event_open is refused: this is gVisor, which has no perf events");
  EXPECT_EQ(bpf_refusal(sandbox), "eBPF is refused: this is gVisor, which has none");
}

TEST(Refusal, a_kernel_that_is_too_old) {
  auto old = facts(pods);
  old.before_5_15 = true;
  old.perf_event_paranoid = 3;
  EXPECT_EQ(bpf_refusal(old),
            "eBPF is refused: this kernel is older than Linux 5.15, which it needs");
  EXPECT_EQ(tick_refusal(old), bpf_refusal(old));
  EXPECT_THAT(perf_refusal(old),
              AllOf(HasSubstr("or set the sysctl to 2"), Not(HasSubstr("tick"))));
}

TEST(Refusal, capabilities_that_have_no_effect_for_this_user) {
  auto user = facts(0);
  user.user = 1001;
  user.bounding = pods;
  const auto mend = HasSubstr("run as user 0, or with file capabilities");
  EXPECT_THAT(perf_refusal(user),
              AllOf(mend, HasSubstr("was given CAP_PERFMON, but without effect for user 1001")));
  EXPECT_THAT(bpf_refusal(user), AllOf(mend, HasSubstr("was given CAP_BPF and CAP_PERFMON, but")));
  user.bounding = bit(CAP_BPF);
  EXPECT_THAT(bpf_refusal(user),
              AllOf(HasSubstr("was given CAP_BPF, but"), HasSubstr("add CAP_PERFMON")));
}

TEST(Refusal, an_ordinary_user_was_given_nothing) {
  auto user = facts(0);
  user.user = 1001;
  user.bounding = all;
  EXPECT_EQ(bpf_refusal(user), "eBPF is refused: add CAP_BPF and CAP_PERFMON");
  EXPECT_THAT(perf_refusal(user), HasSubstr(": add CAP_PERFMON ("));
}

TEST(BpfRefusal, names_what_is_missing_and_nothing_that_is_held) {
  EXPECT_EQ(bpf_refusal(facts(bit(CAP_BPF))), "eBPF is refused: add CAP_PERFMON");
  EXPECT_EQ(bpf_refusal(facts(bit(CAP_PERFMON))), "eBPF is refused: add CAP_BPF");
  auto filtered = facts(bit(CAP_PERFMON));
  filtered.bpf_filtered = true;
  EXPECT_EQ(bpf_refusal(filtered),
            "eBPF is refused: add CAP_BPF, and a seccomp profile that allows bpf");
}

TEST(BpfRefusal, with_everything_held_it_names_what_stands_against_it) {
  const std::string held = "eBPF is refused though CAP_BPF and CAP_PERFMON are held: ";
  auto against = facts(bit(CAP_SYS_ADMIN));  // which includes both
  EXPECT_EQ(bpf_refusal(against), held +
                                      "nothing that the exporter can see forbids it: a security "
                                      "module (SELinux, AppArmor) does");
  against.bpf_filtered = true;
  EXPECT_EQ(bpf_refusal(against), held + "add a seccomp profile that allows bpf");
  against.bpf_filtered = false;
  against.locked_down = true;
  EXPECT_EQ(bpf_refusal(against), held + "the kernel must not be locked down for confidentiality");
  against.locked_down = false;
  against.own_user_namespace = true;
  EXPECT_EQ(bpf_refusal(against),
            held + "they must be held in the initial user namespace (hostUsers: true)");
}

TEST(TickRefusal, is_that_of_ebpf_but_on_a_kernel_without_tracing_programs) {
  auto refused = facts(bit(CAP_PERFMON));
  EXPECT_EQ(tick_refusal(refused), bpf_refusal(refused));
  refused = facts(pods);
  EXPECT_EQ(tick_refusal(refused),
            "the kernel's tick is refused though CAP_BPF and CAP_PERFMON are held: this kernel "
            "allows no tracing programs");
  refused.own_user_namespace = true;
  EXPECT_EQ(tick_refusal(refused), bpf_refusal(refused));
}

}  // namespace
}  // namespace beam_exporter::os
