#include "session/process_usage.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/child_process.h"

namespace beam_exporter::session {
namespace {

using tests::ChildProcess;

os::Process opened(pid_t pid) {
  auto process = os::Process::open(pid);
  if (process) return *process;
  ADD_FAILURE() << process.error().text;
  return *os::Process::open(getpid());
}

double cpu_seconds(const totals::Snapshot& snapshot) {
  return snapshot.vm_cpu_user_seconds.value_or(-1) + snapshot.vm_cpu_system_seconds.value_or(-1);
}

// A child that has used some CPU time and waits.
ChildProcess worker() {
  auto child = ChildProcess::forked([] {
    rusage used{};
    do {
      // Or it would spend its time in the kernel, and seconds of it.
      volatile int turns = 1000000;
      while (turns > 0) turns = turns - 1;
      getrusage(RUSAGE_SELF, &used);
    } while (used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec < 100000);
    if (write(STDOUT_FILENO, "\n", 1) != 1) return 1;
    tests::await_word();
    return 0;
  });
  child.read_line();
  return child;
}

TEST(ProcessUsage, counts_nothing_before_the_first_vm) {
  const ProcessUsage vitals;
  totals::Snapshot snapshot;
  vitals.write_counters(snapshot);
  EXPECT_FALSE(snapshot.vm_cpu_user_seconds || snapshot.vm_cpu_system_seconds || snapshot.process);
}

TEST(ProcessUsage, shows_the_process) {
  ProcessUsage vitals;
  totals::Snapshot snapshot;
  vitals.look(opened(getpid()), snapshot);
  ASSERT_TRUE(snapshot.process);
  EXPECT_EQ(snapshot.process->pid, getpid());
  EXPECT_GE(snapshot.process->threads.value_or(0), 1);
  EXPECT_GE(snapshot.process->open_fds.value_or(0), 3);
  EXPECT_GT(snapshot.process->start_time_seconds.value_or(0), 1.7e9);
}

// One VM after the other: what the former used stays, what the next uses is added.
TEST(ProcessUsage, cpu_time_goes_on_over_restarts) {
  ProcessUsage vitals;
  double last = 0;
  for (int vm = 1; vm <= 3; ++vm) {
    auto child = worker();
    const os::Process process = opened(child.pid());
    totals::Snapshot running, gone, without;
    vitals.look(process, running);
    EXPECT_GE(cpu_seconds(running), last + 0.08) << vm;
    EXPECT_LE(cpu_seconds(running), last + 2) << vm;
    last = cpu_seconds(running);
    child.kill_without_reaping();
    child.join();
    // The last figure stays when /proc has nothing to say any more.
    vitals.look(process, gone);
    EXPECT_EQ(cpu_seconds(gone), last);
    EXPECT_FALSE(gone.process->threads || gone.process->start_time_seconds);
    vitals.forget_vm();
    vitals.forget_vm();
    vitals.write_counters(without);
    EXPECT_EQ(cpu_seconds(without), last);
    EXPECT_FALSE(without.process);
  }
}

}  // namespace
}  // namespace beam_exporter::session
