#include "os/rights/refusal_facts.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/capability_sets.h"

namespace beam_exporter::os {
namespace {

TEST(RefusalFacts, are_what_the_kernel_tells) {
  const auto facts = refusal_facts();
  const auto held = tests::held_capabilities();
  EXPECT_EQ(facts.effective, held.effective);
  EXPECT_EQ(facts.permitted, held.permitted);
  EXPECT_EQ(facts.user, geteuid());
  EXPECT_EQ((facts.bounding >> CAP_SYS_PTRACE & 1) == 1,
            prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE) == 1);
  EXPECT_EQ(facts.bounding & ~facts.all_capabilities, 0u);
  EXPECT_GE(facts.all_capabilities, tests::bit(CAP_CHECKPOINT_RESTORE));
  EXPECT_FALSE(facts.admin_given_up);
}

TEST(RefusalFacts, have_the_sysctl) {
  const auto facts = refusal_facts();
  const auto exists = [](const char* path) { return std::filesystem::exists(path); };
  EXPECT_EQ(facts.perf_event_paranoid.has_value(), exists("/proc/sys/kernel/perf_event_paranoid"));
}

// In the initial namespace alone every user id is its own.
TEST(RefusalFacts, know_the_initial_user_namespace) {
  unsigned inside = 1, outside = 1, count = 0;
  std::ifstream("/proc/self/uid_map") >> inside >> outside >> count;
  const bool whole = inside == 0 && outside == 0 && count == 4294967295;
  EXPECT_EQ(refusal_facts().own_user_namespace, !whole);
}

}  // namespace
}  // namespace beam_exporter::os
