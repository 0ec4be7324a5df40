#include "os/rights/perf_event_call.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "harness/capability_sets.h"
#include "harness/child_process.h"
#include "os/rights/capabilities.h"

namespace beam_exporter::os {
namespace {

using tests::bit;
using tests::held_capabilities;
using tests::hold_capabilities;

perf_event_attr cpu_clock() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.disabled = 1;
  return attr;
}

TEST(OpenPerfEvent, opens_an_event_of_this_thread) {
  if (const auto own = own_capabilities(); !own.perfmon || own.perf_filtered)
    GTEST_SKIP() << "needs CAP_PERFMON, and no seccomp profile in the way";
  auto attr = cpu_clock();
  EXPECT_TRUE(open_perf_event(attr, 0));
}

TEST(OpenPerfEvent, leaves_the_error_of_the_call) {
  auto attr = cpu_clock();
  attr.type = 0xffffff;
  EXPECT_FALSE(open_perf_event(attr, 0));
  EXPECT_TRUE(errno == ENOENT || errno == EACCES || errno == EPERM) << errno;
}

// Who may do nothing here but what CAP_SYS_ADMIN brings gets its event by raising that, and has it
// out of effect before and after. The event sees the kernel, so it asks for a capability on any
// kernel at kernel.perf_event_paranoid 2 and above.
TEST(OpenPerfEvent, raises_sys_admin_for_the_call_alone) {
  int paranoid = 0;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
  if (paranoid < 2 || own_capabilities().perf_filtered)
    GTEST_SKIP() << "needs kernel.perf_event_paranoid 2, and no seccomp profile in the way";
  constexpr auto admin = bit(CAP_SYS_ADMIN);
  if ((held_capabilities().permitted & admin) == 0) GTEST_SKIP() << "needs CAP_SYS_ADMIN";
  const auto opens = [](std::uint64_t permitted) {
    return tests::ChildProcess::forked([=] {
             auto attr = cpu_clock();
             const bool opened = hold_capabilities(0, permitted) && open_perf_event(attr, 0);
             return opened && held_capabilities().effective == 0 ? 0 : 1;
           })
        .join();
  };
  EXPECT_EQ(opens(admin), 0);
  EXPECT_EQ(opens(0), 1);
  EXPECT_EQ(tests::ChildProcess::forked([=] {
              return hold_capabilities(0, admin) && perf_events_need_admin() &&
                             held_capabilities().effective == 0
                         ? 0
                         : 1;
            }).join(),
            0);
}

}  // namespace
}  // namespace beam_exporter::os
