#include "os/process/threads.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <thread>

#include "harness/child_process.h"

namespace beam_exporter::os {
namespace {

std::string name_of(const std::vector<Thread>& threads, pid_t tid) {
  for (const auto& thread : threads)
    if (thread.tid == tid) return thread.name;
  return "(not there)";
}

TEST(ThreadsOf, names_every_thread_in_order) {
  std::barrier met(3);
  pid_t first_tid = 0, second_tid = 0;
  const auto live = [&](const char* name, pid_t& tid) {
    prctl(PR_SET_NAME, name);
    tid = gettid();
    met.arrive_and_wait();
    met.arrive_and_wait();
  };
  std::thread first(live, "1_scheduler", std::ref(first_tid));
  std::thread second(live, "a (b) 12345678901", std::ref(second_tid));
  met.arrive_and_wait();
  const auto threads = threads_of("/proc/self");
  met.arrive_and_wait();
  first.join();
  second.join();

  EXPECT_GE(threads.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(threads, {}, &Thread::tid));
  EXPECT_EQ(name_of(threads, first_tid), "1_scheduler");
  EXPECT_EQ(name_of(threads, second_tid), "a (b) 123456789");  // the kernel keeps 15 characters
  EXPECT_NE(name_of(threads, getpid()), "(not there)");
}

TEST(ThreadsOf, a_process_that_is_gone_has_none) {
  auto child = tests::ChildProcess::forked([] { return 0; });
  const auto directory = std::filesystem::path("/proc") / std::to_string(child.pid());
  child.join();
  EXPECT_TRUE(threads_of(directory).empty());
  EXPECT_TRUE(threads_of("/proc/0").empty());
}

TEST(CpuUseOf, grows_as_a_thread_runs_and_waits) {
  const auto before = cpu_use_of("/proc/self", gettid());
  if (!before) GTEST_SKIP() << "this kernel keeps no schedstat";
  timespec cpu{};
  const auto cpu_time = [&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return std::chrono::seconds(cpu.tv_sec) + std::chrono::nanoseconds(cpu.tv_nsec);
  };
  const auto began = cpu_time();
  while (cpu_time() - began < std::chrono::milliseconds(50)) {
  }
  for (int k = 0; k < 10; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto after = cpu_use_of("/proc/self", gettid());
  ASSERT_TRUE(after);
  EXPECT_GE(after->running - before->running, std::chrono::milliseconds(45));
  EXPECT_LE(after->running, cpu_time());
  EXPECT_GE(after->waiting, before->waiting);
  EXPECT_GE(after->yielded, before->yielded + 10);
  EXPECT_GE(after->preempted, before->preempted);
}

TEST(CpuUseOf, a_thread_that_is_gone_has_none) {
  EXPECT_FALSE(cpu_use_of("/proc/self", 0));
  EXPECT_FALSE(cpu_use_of("/proc/0", 1));
}

TEST(KernelStateOf, tells_a_stopped_thread_from_one_that_runs) {
  const auto own = kernel_state_of("/proc/self", gettid());
  ASSERT_TRUE(own);
  EXPECT_EQ(own->letter, 'R');
  EXPECT_EQ(own->place, "");
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, "a) R (b");
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  const auto stopped = kernel_state_of("/proc/" + std::to_string(child), child);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->letter, 'T');
  EXPECT_FALSE(kernel_state_of("/proc/self", child)) << "it is no thread of ours";
}

TEST(UserPlaceOf, is_known_while_a_thread_waits) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  std::barrier met(2);
  pid_t tid = 0;
  Address frame = 0;
  std::thread waiting([&] {
    tid = gettid();
    frame = reinterpret_cast<Address>(__builtin_frame_address(0));
    met.arrive_and_wait();
    char word;
    EXPECT_EQ(read(pipe_ends[0], &word, 1), 1);
  });
  met.arrive_and_wait();
  auto place = user_place_of("/proc/self", tid);
  while (!place) place = user_place_of("/proc/self", tid);
  EXPECT_EQ(stack_pointer_of("/proc/self", tid), place->stack_pointer);
  EXPECT_LT(place->stack_pointer, frame);
  EXPECT_GT(place->stack_pointer, frame - (64 << 10));
  // In the C library, behind its system call.
  unsigned char code[2];
  std::memcpy(code, reinterpret_cast<const void*>(place->instruction - 2), sizeof code);
  EXPECT_EQ(code[0], 0x0f);
  EXPECT_EQ(code[1], 0x05);
  ASSERT_EQ(write(pipe_ends[1], "x", 1), 1);
  waiting.join();
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  EXPECT_FALSE(user_place_of("/proc/self", tid)) << "it has ended";
}

TEST(UserPlaceOf, is_not_known_while_a_thread_runs) {
  std::atomic<pid_t> tid = 0;
  std::atomic<bool> ends = false;
  std::thread running([&] {
    tid = gettid();
    while (!ends) {
    }
  });
  while (tid == 0) {
  }
  EXPECT_FALSE(user_place_of("/proc/self", tid));
  ends = true;
  running.join();
}

}  // namespace
}  // namespace beam_exporter::os
