#include <gtest/gtest.h>

#include "unit/commands/tools/pstack/small_report.h"

namespace beam_exporter::commands {
namespace {

using session::StackOrigin;

TEST(SchedulerText, tells_those_that_run_something) {
  EXPECT_EQ(scheduler_text(small_report(), {}),
            "a VM: 2 of 2 normal, 0 of 1 dirty_cpu schedulers ran something in 0.25 s\n"
            "\n"
            "normal 1 (thread 71): <0.9.0> shop, garbage_collecting, state gc, seen for 0.20 s\n"
            "    sweep\n"
            "    lists:reverse/2\n"
            "    shop:run/1 (shop.erl:12)\n"
            "\n"
            "normal 2: <0.10.0> ?, running, seen in memory only\n"
            "    last seen in: stuck:hold/1\n"
            "    no frame could be told\n");
}

TEST(SchedulerText, tells_idle_ones_and_leaves_out_c_functions_when_asked) {
  const auto text = scheduler_text(small_report(), {.all = true, .only_erlang = true});
  EXPECT_NE(text.find("\ndirty_cpu 1 (thread 73): idle; sleeping, waiting; S in futex_wait\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("sweep"), std::string::npos);
  EXPECT_NE(text.find("    lists:reverse/2\n"), std::string::npos);
}

TEST(SchedulerText, says_how_old_a_look_is_and_where_a_thread_waits) {
  auto report = small_report();
  auto& first = report.schedulers[0];
  first.origin = StackOrigin::blocked;
  first.kernel = os::KernelState{'S', "poll_schedule_timeout"};
  first.ago = std::chrono::milliseconds(150);
  first.seen_for.reset();
  EXPECT_NE(scheduler_text(report, {})
                .find(", state gc, off the CPU (S in poll_schedule_timeout), 0.15 s ago\n"),
            std::string::npos);
  // It was off the CPU when it was seen, and is not now: no place is told.
  first.kernel = os::KernelState{'R', ""};
  EXPECT_NE(scheduler_text(report, {}).find(", state gc, off the CPU, 0.15 s ago\n"),
            std::string::npos);
}

TEST(SchedulerText, says_that_there_were_no_samples) {
  auto report = small_report();
  report.sampled = false;
  const auto text = scheduler_text(report, {});
  EXPECT_TRUE(
      text.starts_with("a VM: 2 of 2 normal, 0 of 1 dirty_cpu schedulers run something\n"
                       "No samples: "))
      << text;
}

TEST(SchedulerText, a_port_is_work_and_a_name_cannot_move_the_cursor) {
  auto report = small_report();
  report.schedulers[2].port = true;
  report.schedulers[0].name = "\x1b[2J";
  const auto text = scheduler_text(report, {});
  EXPECT_NE(text.find("1 of 1 dirty_cpu"), std::string::npos);
  EXPECT_NE(text.find("dirty_cpu 1 (thread 73): runs a port;"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace beam_exporter::commands
