#include "os/rights/capabilities.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "fakes/refused_call.h"
#include "harness/capability_sets.h"
#include "harness/child_process.h"

namespace beam_exporter::os {
namespace {

using tests::ChildProcess;

using tests::bit;
using Sets = tests::CapabilitySets;

Sets held() { return tests::held_capabilities(); }
bool hold(std::uint64_t capabilities) {
  return tests::hold_capabilities(capabilities, capabilities);
}

// A child drops for good; 0 when `body` is content.
void in_child(const std::function<bool()>& body) {
  auto child = ChildProcess::forked([&] { return body() ? 0 : 1; });
  EXPECT_EQ(child.join(), 0);
}

constexpr std::uint64_t needed_capabilities =
    bit(CAP_SYS_PTRACE) | bit(CAP_PERFMON) | bit(CAP_BPF) | bit(CAP_IPC_LOCK) |
    bit(CAP_DAC_READ_SEARCH) | bit(CAP_CHECKPOINT_RESTORE);

TEST(Capabilities, tells_what_the_kernel_tells) {
  const auto effective = held().effective;
  const auto has = [&](unsigned capability) { return (effective & bit(capability)) != 0; };
  const Capabilities own = own_capabilities();
  EXPECT_EQ(own.sys_ptrace, has(CAP_SYS_PTRACE));
  EXPECT_EQ(own.perfmon, has(CAP_PERFMON) || has(CAP_SYS_ADMIN));
  EXPECT_EQ(own.bpf, has(CAP_BPF) || has(CAP_SYS_ADMIN));
}

TEST(Capabilities, tells_which_calls_a_seccomp_filter_refuses) {
  const auto before = own_capabilities();
  if (before.perf_filtered || before.bpf_filtered) GTEST_SKIP() << "under such a filter already";
  const auto told = [](unsigned call, bool perf, bool bpf) {
    in_child([=] {
      if (!tests::refuse_call(call)) return false;
      const auto own = own_capabilities();
      return own.perf_filtered == perf && own.bpf_filtered == bpf;
    });
  };
  told(SYS_ptrace, false, false);
  told(SYS_perf_event_open, true, false);
  told(SYS_bpf, false, true);
}

TEST(DropOtherCapabilities, keeps_only_what_the_exporter_works_with) {
  const Sets before = held();
  if ((before.effective & ~needed_capabilities) == 0) GTEST_SKIP() << "there is nothing to drop";
  in_child([&] {
    if (!drop_other_capabilities()) return false;
    const Sets after = held();
    const bool finer = (before.effective & bit(CAP_PERFMON)) && (before.effective & bit(CAP_BPF));
    const auto kept = needed_capabilities | (finer ? 0 : bit(CAP_SYS_ADMIN));
    // Debian's and Ubuntu's kernels may ask for it; then it stays permitted, and out of effect.
    const auto raised = before.effective & bit(CAP_SYS_ADMIN);
    return after.effective == (before.effective & kept) &&
           (after.permitted == after.effective || after.permitted == (after.effective | raised)) &&
           after.inheritable == 0;
  });
}

std::uint64_t bounding() {
  std::uint64_t set = 0;
  for (unsigned c = 0; c < 64; ++c)
    if (prctl(PR_CAPBSET_READ, c) == 1) set |= bit(c);
  return set;
}

TEST(DropOtherCapabilities, nothing_that_is_executed_later_gets_them_back) {
  const auto all = bounding();
  in_child([&] {
    if (!drop_other_capabilities()) return false;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 && (bounding() & ~all) == 0;
  });
  const auto needed = bit(CAP_SETPCAP) | bit(CAP_PERFMON) | bit(CAP_BPF) | bit(CAP_SYS_PTRACE);
  if ((held().effective & needed) != needed) GTEST_SKIP() << "needs CAP_SETPCAP";
  ASSERT_NE(all & ~needed_capabilities, 0u) << "or there would be nothing to drop";
  in_child([&] { return drop_other_capabilities() && bounding() == (all & needed_capabilities); });
  // Without the right to it the set stays, and dropping succeeds all the same.
  in_child([&] {
    return hold(bit(CAP_SYS_PTRACE)) && drop_other_capabilities() && bounding() == all &&
           held().permitted == bit(CAP_SYS_PTRACE) && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  });
}

TEST(DropOtherCapabilities, keeps_sys_admin_where_nothing_finer_is_held) {
  const auto coarse = bit(CAP_SYS_ADMIN) | bit(CAP_SYS_PTRACE);
  if ((held().permitted & coarse) != coarse) GTEST_SKIP() << "needs CAP_SYS_ADMIN to try";
  in_child([&] {
    if (!hold(coarse | bit(CAP_CHOWN)) || !drop_other_capabilities()) return false;
    const Capabilities own = own_capabilities();
    return held().effective == coarse && held().permitted == coarse && own.perfmon && own.bpf &&
           own.sys_ptrace;
  });
}

TEST(DropOtherCapabilities, keeps_sys_admin_out_of_effect_for_uprobes) {
  const auto all = bit(CAP_SYS_ADMIN) | bit(CAP_PERFMON) | bit(CAP_BPF);
  if ((held().permitted & all) != all) GTEST_SKIP() << "needs CAP_SYS_ADMIN to try";
  in_child([&] {
    if (!hold(all) || !drop_other_capabilities(true)) return false;
    return held().effective == (all & needed_capabilities) && held().permitted == all &&
           !own_capabilities().admin_given_up;
  });
}

TEST(DropOtherCapabilities, says_that_it_gave_sys_admin_up_where_this_kernel_does_not_ask_for_it) {
  const auto all = bit(CAP_SYS_ADMIN) | bit(CAP_PERFMON) | bit(CAP_BPF);
  if ((held().permitted & all) != all) GTEST_SKIP() << "needs CAP_SYS_ADMIN to try";
  in_child([&] {
    if (!hold(all) || !drop_other_capabilities()) return false;
    const bool kept = (held().permitted & bit(CAP_SYS_ADMIN)) != 0;
    return own_capabilities().admin_given_up == !kept;
  });
}

TEST(DropOtherCapabilities, gains_nothing_and_may_be_asked_of_a_process_that_holds_nothing) {
  in_child([] {
    if (!hold(0) || !drop_other_capabilities()) return false;
    const Capabilities own = own_capabilities();
    return held().permitted == 0 && !own.sys_ptrace && !own.perfmon && !own.bpf;
  });
  const auto wanted = bit(CAP_SYS_PTRACE);
  if ((held().permitted & wanted) == 0) return;
  in_child([&] { return hold(wanted) && drop_other_capabilities() && held().permitted == wanted; });
}

}  // namespace
}  // namespace beam_exporter::os
