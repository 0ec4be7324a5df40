#include "os/rights/access_refusal.h"

#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

#include "harness/child_process.h"

namespace beam_exporter::os {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t every_capability = (std::uint64_t{1} << 41) - 1;
constexpr std::uint64_t ptrace = std::uint64_t{1} << CAP_SYS_PTRACE;
constexpr std::uint64_t net_raw = std::uint64_t{1} << CAP_NET_RAW;

// On a host: an ordinary user's exporter beside that user's VM.
AccessFacts nothing_amiss() {
  return {.own = {1000, 1000, 0, 0, every_capability},
          .target = {1000, 1000, 0, 0, every_capability}};
}

TEST(WhyRefused, another_user_or_group) {
  auto facts = nothing_amiss();
  facts.own.user = 1001;
  EXPECT_EQ(why_refused(facts),
            "it runs as user 1000, group 1000, the exporter as user 1001, group 1000: run as the "
            "VM's user and group, or run as root, or add CAP_SYS_PTRACE");
  facts = nothing_amiss();
  facts.own.group = 0;
  EXPECT_THAT(why_refused(facts), HasSubstr("the exporter as user 1000, group 0: run as"));
}

TEST(WhyRefused, a_container_that_was_given_the_capability_in_vain) {
  auto facts = nothing_amiss();
  facts.own = {65532, 65532, 0, 0, ptrace | net_raw};
  EXPECT_EQ(why_refused(facts),
            "it runs as user 1000, group 1000, the exporter as user 65532, group 65532: run as the "
            "VM's user and group, or run as root (the CAP_SYS_PTRACE that this container was "
            "given has no effect for user 65532)");
  facts.own.bounding = net_raw;
  EXPECT_THAT(why_refused(facts), HasSubstr("or add CAP_SYS_PTRACE and run as root"));
  // Root without it was not given it.
  facts.own = {0, 0, 0, 0, 0};
  EXPECT_THAT(why_refused(facts),
              AllOf(HasSubstr("or add CAP_SYS_PTRACE"), Not(HasSubstr("root"))));
}

TEST(WhyRefused, a_target_with_more_rights) {
  auto facts = nothing_amiss();
  facts.own.user = facts.own.group = facts.target.user = facts.target.group = 0;
  facts.target.permitted = net_raw;
  EXPECT_EQ(why_refused(facts),
            "it holds capabilities that the exporter does not: add CAP_SYS_PTRACE, or take them "
            "from the VM");
  facts.own.effective = net_raw;
  EXPECT_THAT(why_refused(facts), Not(HasSubstr("it holds")));
}

TEST(WhyRefused, a_target_that_is_not_dumpable) {
  auto facts = nothing_amiss();
  facts.target_dumpable = false;
  facts.ptrace_scope = 1;
  EXPECT_THAT(why_refused(facts), AllOf(HasSubstr("not dumpable"), HasSubstr("add CAP_SYS_PTRACE"),
                                        Not(HasSubstr("ptrace_scope"))));
}

TEST(WhyRefused, yama) {
  auto facts = nothing_amiss();
  facts.ptrace_scope = 1;
  EXPECT_EQ(why_refused(facts),
            "kernel.yama.ptrace_scope is 1: run as root, or add CAP_SYS_PTRACE, or set it to 0");
  facts.ptrace_scope = 3;
  facts.own.effective = every_capability;
  EXPECT_EQ(
      why_refused(facts),
      "kernel.yama.ptrace_scope is 3, which forbids it to everybody: boot with a lower value");
}

TEST(WhyRefused, what_only_a_security_module_can_be_behind) {
  auto facts = nothing_amiss();
  EXPECT_THAT(why_refused(facts), AllOf(HasSubstr("AppArmor"), HasSubstr("add CAP_SYS_PTRACE")));
  facts.own.effective = ptrace;
  facts.own.user = 0;
  EXPECT_THAT(why_refused(facts), AllOf(HasSubstr("AppArmor"), HasSubstr("is held")));
}

TEST(AccessFactsOf, a_process_are_those_of_the_kernel) {
  const auto facts = access_facts(getpid());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->own.user, geteuid());
  EXPECT_EQ(facts->own.group, getegid());
  EXPECT_EQ(facts->target.user, facts->own.user);
  EXPECT_EQ(facts->target.effective, facts->own.effective);
  EXPECT_TRUE(facts->target_dumpable);
  for (unsigned capability = 0; capability < 64; ++capability) {
    const int in_bounding_set = prctl(PR_CAPBSET_READ, capability);
    EXPECT_EQ(facts->own.bounding >> capability & 1, in_bounding_set == 1) << capability;
  }
}

TEST(AccessFactsOf, another_process) {
  constexpr uid_t user = 65534;
  constexpr gid_t group = 65533;
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  for (const bool dumpable : {false, true}) {
    auto child = tests::ChildProcess::forked([&] {
      if (setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0) return 1;
      prctl(PR_SET_DUMPABLE, dumpable ? 1 : 0);
      if (write(STDOUT_FILENO, "\n", 1) != 1) return 1;
      tests::await_word();
      return 0;
    });
    child.read_line();
    const auto facts = access_facts(child.pid());
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->target.user, user);
    EXPECT_EQ(facts->target.group, group);
    EXPECT_EQ(facts->target.permitted, 0u);
    EXPECT_EQ(facts->target_dumpable, dumpable);
  }
  EXPECT_FALSE(access_facts(-1));
}

}  // namespace
}  // namespace beam_exporter::os
