#include "sampling/perf/blocked_thread.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "fakes/fake_vm.h"
#include "harness/each_release.h"
#include "os/memory/process_memory.h"
#include "os/process/threads.h"
#include "os/unique_fd.h"

// Not poll(): that of a sanitizer has frames which need more registers than the kernel tells.
extern "C" [[gnu::noinline]] long blocked_thread_waits_here(int descriptor) {
  pollfd waiting{descriptor, POLLIN, 0};
  const long readable = syscall(SYS_poll, &waiting, 1, -1);
  asm volatile("" : : "r"(&waiting) : "memory");  // no tail call
  return readable;
}

namespace beam_exporter::sampling {
namespace {

// A thread of this program is the VM's scheduler. The VM's memory is a fake, which has the bytes of
// this program wherever it has none of its own.
class BlockedThreadTest : public tests::EachRelease {
 protected:
  void SetUp() override {
    const auto own = [this](os::Address from, std::size_t bytes) {
      if (from < guard_.end && from + bytes > guard_.begin) return;
      std::vector<std::byte> there(bytes);
      if (os::ProcessMemory(getpid()).read(from, there)) vm.memory.put_bytes(from, there);
    };
    vm.memory.before_read = own;
    auto attached = vm.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
    thread_ = std::thread([this] {
      tid_ = gettid();
      blocked_thread_waits_here(wake_.get());
    });
    while (tid_ == 0 || !os::user_place_of("/proc/self", tid_)) std::this_thread::yield();
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    eventfd_write(wake_.get(), 1);
    thread_.join();
  }
  bool waits_there(os::Address address) {
    const auto begin = reinterpret_cast<os::Address>(&blocked_thread_waits_here);
    return address > begin && address < begin + 512;
  }

  std::unique_ptr<beam::VirtualMachine> attached_;
  os::UniqueFd wake_{eventfd(0, EFD_CLOEXEC)};
  std::atomic<pid_t> tid_ = 0;
  std::thread thread_;
  ObservedThread seen_;
  os::AddressRange guard_;  // cannot be read
};
INSTANTIATE_TEST_SUITE_P(Releases, BlockedThreadTest, tests::each_jit_release, tests::release_name);

TEST_P(BlockedThreadTest, sees_the_frames_of_a_stack_that_ends_inside_its_mapping) {
  const auto place = os::user_place_of("/proc/self", tid_);
  ASSERT_TRUE(place);
  // Some pages of stack, which hold the frames of this file, also the large ones that sanitizers
  // put between, and the guard of the next stack.
  constexpr os::Address page = 4096;
  const os::Address end = place->stack_pointer / page * page + 4 * page;
  guard_ = {end, end + page};
  BlockedThread blocked(*attached_);
  blocked.update();
  const auto& scheduler = attached_->schedulers().at(2);
  ASSERT_TRUE(blocked.see(tid_, scheduler.role, &scheduler, seen_));
  EXPECT_TRUE(
      std::ranges::any_of(seen_.native, [&](auto address) { return waits_there(address); }));
}

TEST_P(BlockedThreadTest, sees_the_frames_and_the_process_of_a_thread_that_waits) {
  BlockedThread blocked(*attached_);
  blocked.update();
  // A dirty scheduler: its thread has no JIT code below its C code.
  const auto& scheduler = attached_->schedulers().at(2);
  vm.memory.put(vm.schedulers.at(2), vm.layout.scheduler_data.current_process, vm.processes.at(1));
  ASSERT_TRUE(blocked.see(tid_, scheduler.role, &scheduler, seen_));
  EXPECT_EQ(seen_.role, scheduler.role);
  ASSERT_TRUE(seen_.process);
  EXPECT_EQ(seen_.process->address, vm.processes.at(1));
  const auto place = os::user_place_of("/proc/self", tid_);
  ASSERT_TRUE(place);
  ASSERT_GE(seen_.native.size(), 2u);
  EXPECT_EQ(seen_.native.front(), place->instruction);
  EXPECT_EQ(seen_.read_delay.count(), 0);
  EXPECT_TRUE(
      std::ranges::any_of(seen_.native, [&](auto address) { return waits_there(address); }));
}

TEST_P(BlockedThreadTest, does_not_see_a_thread_that_runs_or_has_ended) {
  BlockedThread blocked(*attached_);
  blocked.update();
  const beam::ThreadRole role;
  std::atomic<pid_t> running_tid = 0;
  std::atomic<bool> ends = false;
  std::thread running([&] {
    running_tid = gettid();
    while (!ends) {
    }
  });
  while (running_tid == 0) {
  }
  EXPECT_FALSE(blocked.see(running_tid, role, nullptr, seen_)) << "it runs";
  ends = true;
  running.join();
  TearDown();
  EXPECT_FALSE(blocked.see(tid_, role, nullptr, seen_)) << "it has ended";
}

}  // namespace
}  // namespace beam_exporter::sampling
