#include "sampling/ebpf/ebpf_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "harness/child_process.h"
#include "unit/sampling/ebpf_stage.h"

namespace beam_exporter::sampling {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using tests::EbpfProgramTest;
using tests::MarkedThread;
using tests::marks;
using Register = os::UserRegisters;

// A stack known to be elsewhere: nothing but the registers is in a record.
constexpr watched_thread no_stack{.stack_low = 1, .stack_high = 2, .role = role_other};

class EbpfProgramWithSmallRing : public EbpfProgramTest {
 protected:
  EbpfProgramWithSmallRing() { ring_bytes_ = static_cast<std::size_t>(getpagesize()); }
};

class EbpfProgramWithKernelStacks : public EbpfProgramTest {
 protected:
  EbpfProgramWithKernelStacks() { kernel_stacks_ = os::KernelStacks::taken; }
};

// The kernel's half of the address space (Documentation/arch/x86/x86_64/mm.rst).
bool is_kernels(std::uint64_t address) { return address >> 63 == 1; }

TEST_F(EbpfProgramWithKernelStacks, a_sample_in_the_kernel_has_the_way_there) {
  const MarkedThread thread(marks, MarkedThread::Work::system_calls);
  const auto sampled = sample(thread, 3, no_stack);
  int inside = 0;
  for (const auto& record : some(100)) {
    const bool in_kernel = (record.head.flags & sample_in_kernel) != 0;
    EXPECT_EQ(!record.kernel.empty(), in_kernel);
    EXPECT_TRUE(std::ranges::all_of(record.kernel, is_kernels));
    EXPECT_LE(record.head.kernel_bytes, unsigned{most_kernel_bytes});
    EXPECT_EQ(record.head.registers[Register::r14], marks[2]);
    inside += in_kernel;
  }
  EXPECT_GT(inside, 10);
}

// On a busy machine the thread may also be found on its way back from an interrupt.
TEST_F(EbpfProgramWithKernelStacks, a_sample_in_user_code_has_none) {
  const MarkedThread thread(marks);
  const auto sampled = sample(thread, 3, no_stack);
  int outside = 0;
  for (const auto& record : some(50)) {
    const bool in_kernel = (record.head.flags & sample_in_kernel) != 0;
    EXPECT_EQ(!record.kernel.empty(), in_kernel);
    outside += !in_kernel;
  }
  EXPECT_GT(outside, 10);
}

TEST_F(EbpfProgramTest, this_kernel_verifies_it_far_below_its_limit) {
  std::uint64_t verified = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream info(file.path());
    std::string text((std::istreambuf_iterator<char>(info)), {});
    const auto at = text.find("verified_insns:");
    if (at != std::string::npos) verified = std::stoull(text.substr(at + 15));
  }
  if (verified == 0) GTEST_SKIP() << "this kernel (before 5.16) does not tell verified_insns";
  std::cout << "verified_insns: " << verified << " of 1000000\n";
  RecordProperty("verified_insns", std::to_string(verified));
  EXPECT_GT(verified, 1000u);
  EXPECT_LT(verified, 100'000u);
}

TEST_F(EbpfProgramTest, a_sample_is_of_its_thread_and_has_its_registers) {
  const auto begin = os::monotonic_now();
  MarkedThread::Marks others = marks;
  for (auto& mark : others) mark *= 3;
  const MarkedThread one(marks), two(others);
  const auto sampled_one = sample(one, 7, no_stack);
  const auto sampled_two = sample(two, most_threads - 1, no_stack);
  int of_one = 0, of_two = 0;
  for (const auto& record : some(100)) {
    const bool first = record.head.thread == 7;
    EXPECT_EQ(record.head.thread, first ? 7u : unsigned{most_threads} - 1);
    ++(first ? of_one : of_two);
    const auto& mark = first ? marks : others;
    const auto& got = record.head.registers;
    EXPECT_EQ(got[Register::r12], mark[0]);
    EXPECT_EQ(got[Register::r13], mark[1]);
    EXPECT_EQ(got[Register::r14], mark[2]);
    EXPECT_EQ(got[Register::r15], mark[3]);
    EXPECT_EQ(got[Register::rbx], mark[4]);
    EXPECT_EQ(got[Register::rbp], mark[5]);
    EXPECT_EQ(got[Register::rsp], (first ? one : two).rsp());
    EXPECT_TRUE((first ? one : two).loop().contains(got[Register::rip]));
    EXPECT_GT(std::chrono::nanoseconds(record.head.time), begin);
    EXPECT_LT(std::chrono::nanoseconds(record.head.time), os::monotonic_now());
    EXPECT_EQ(record.head.flags & ~unsigned{sample_in_kernel}, 0u);
  }
  EXPECT_GT(of_one, 10);
  EXPECT_GT(of_two, 10);
}

// The kernel tells no stack pointer of a thread that runs when it is asked for.
TEST_F(EbpfProgramTest, a_stack_that_is_not_known_is_copied_from_where_the_thread_is) {
  const MarkedThread thread(marks);
  const auto sampled = sample(thread, 1, {.role = role_other});
  for (const auto& record : some(20)) {
    EXPECT_EQ(record.head.native_begin, thread.rsp());
    EXPECT_GE(record.head.native_bytes, 16u);
    EXPECT_EQ(record.head.flags & sample_stack_unread, 0u);
  }
}

TEST_F(EbpfProgramTest, in_a_system_call_it_has_the_registers_of_user_space) {
  const MarkedThread thread(marks, MarkedThread::Work::system_calls);
  const auto sampled = sample(thread, 1, no_stack);
  int in_kernel = 0;
  for (const auto& record : some(100)) {
    in_kernel += (record.head.flags & sample_in_kernel) != 0;
    EXPECT_EQ(record.head.registers[Register::r12], marks[0]);
    EXPECT_EQ(record.head.registers[Register::rbp], marks[5]);
    EXPECT_EQ(record.head.registers[Register::rsp], thread.rsp());
    EXPECT_TRUE(thread.loop().contains(record.head.registers[Register::rip]));
  }
  EXPECT_GT(in_kernel, 10);
}

TEST_F(EbpfProgramWithSmallRing, a_full_ring_drops_and_counts) {
  const MarkedThread thread(marks);
  std::optional<Sampled> sampled = sample(thread, 1, no_stack);
  for (const auto late = os::monotonic_now() + 20s;
       program_->costs().runs < 100 && os::monotonic_now() < late;)
    usleep(2000);
  sampled.reset();
  const auto costs = program_->costs();
  const auto kept = drained().size();
  EXPECT_GE(costs.runs, 100u);
  EXPECT_GT(kept, 0u);
  EXPECT_GT(costs.dropped, 0u);
  EXPECT_EQ(kept + costs.dropped, costs.runs) << "none is lost in silence";
  EXPECT_GT(costs.nanoseconds, costs.runs * 100);
  EXPECT_LT(costs.nanoseconds, costs.runs * 1'000'000);
}

TEST_F(EbpfProgramTest, wakes_its_reader_when_the_code_index_is_another) {
  const MarkedThread thread(marks);
  const auto readable = [&](int milliseconds) {
    pollfd waiting{program_->descriptor(), POLLIN, 0};
    return poll(&waiting, 1, milliseconds) == 1;
  };
  program_->set_known_code_index(0);
  const auto sampled = sample(thread, 1, no_stack);
  some(5);
  EXPECT_FALSE(readable(50)) << "nobody hurries";
  code_index_ = 2;
  EXPECT_TRUE(readable(20'000));
}

// What loading says to a process without these capabilities (and SYS_ADMIN, which stands in).
std::string said_without(std::initializer_list<unsigned> dropped) {
  auto child = tests::ChildProcess::forked([&] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    syscall(SYS_capget, &header, data);
    const auto drop = [&](unsigned c) {
      data[c / 32].effective &= ~(1u << c % 32);
      data[c / 32].permitted &= ~(1u << c % 32);
    };
    drop(CAP_SYS_ADMIN);
    for (const unsigned capability : dropped) drop(capability);
    if (syscall(SYS_capset, &header, data) != 0) return 2;
    const auto layout = tests::shipped_layout("27");
    const auto loaded = EbpfProgram::load({.layout = &layout});
    if (loaded || loaded.error().kind != os::ErrorKind::not_permitted) return 3;
    // Not by way of std::cout, which has what the parent has not written yet.
    const std::string line = loaded.error().text + "\n";
    return write(STDOUT_FILENO, line.data(), line.size()) > 0 ? 0 : 4;
  });
  const std::string said = child.read_line();
  EXPECT_EQ(child.join(), 0);
  return said;
}

TEST(EbpfProgramLoad, names_the_capability_that_is_missing_and_no_other) {
  const auto own = os::own_capabilities();
  if (!own.bpf || !own.perfmon) GTEST_SKIP() << "needs CAP_BPF and CAP_PERFMON to give them up";
  if (own.bpf_filtered) GTEST_SKIP() << "a seccomp profile may be what refuses";
  EXPECT_EQ(said_without({CAP_BPF}), "eBPF is refused: add CAP_BPF");
  EXPECT_EQ(said_without({CAP_PERFMON}), "eBPF is refused: add CAP_PERFMON");
  EXPECT_EQ(said_without({CAP_BPF, CAP_PERFMON}), "eBPF is refused: add CAP_BPF and CAP_PERFMON");
}

std::uint64_t time_of(std::span<const tests::Record> records) {
  std::uint64_t sum = 0;
  for (const auto& record : records) sum += record.head.cpu_time;
  return sum;
}

// A timer that is late fires once. Here the program expects one each millisecond, and all are late.
TEST_F(EbpfProgramTest, a_late_sample_stands_for_the_time_since_the_last_one) {
  const MarkedThread thread(marks);
  const auto sampled = sample(thread, 3, no_stack, 5ms);
  const auto records = some();
  EXPECT_GE(time_of(records), records.size() * 4'950'000);
  EXPECT_LE(time_of(std::span(records).subspan(1)),
            records.back().head.time - records[0].head.time);
  // A machine that is busy with something else may be later than a sample can stand for.
  EXPECT_LT(program_->costs().missed, time_of(records) / 1'000'000 / 5);
}

TEST_F(EbpfProgramTest, what_a_sample_cannot_stand_for_is_counted_as_lost) {
  const MarkedThread thread(marks);
  const auto sampled = sample(thread, 3, no_stack, 50ms);
  const auto records = some(4);
  for (const auto& record : records) EXPECT_EQ(record.head.cpu_time, most_periods * 1'000'000u);
  EXPECT_GE(program_->costs().missed, records.size() * 33);
  EXPECT_GE(program_->off_cpu(3).value().lost, records.size() * 33'000'000);
}

// The index of a thread that has ended is another's later.
TEST_F(EbpfProgramTest, a_thread_does_not_stand_for_the_time_of_the_one_before_it) {
  const MarkedThread thread(marks);
  for (int turn = 0; turn < 2; ++turn) {
    const auto sampled = sample(thread, 3, no_stack, 5ms);
    const auto records = some(10);
    EXPECT_GE(time_of(records), records.size() * 4'950'000);
    EXPECT_LT(program_->off_cpu(3).value().lost, time_of(records) / 5);
  }
}

// Some kernels take programs for perf events and none of type tracing.
TEST_F(EbpfProgramTest, on_the_tick_it_samples_as_on_events_or_names_what_refuses) {
  const auto ids = os::pid_namespace("/proc/self");
  const auto pid_inside = os::innermost_tid("/proc/self", getpid());
  ASSERT_TRUE(pid_inside);
  auto loaded = EbpfProgram::load({.trigger = EbpfProgram::Trigger::tick,
                                   .layout = &layout_,
                                   .active_code_index = address(&code_index_),
                                   .pid_namespace = ids,
                                   .pid_inside = *pid_inside,
                                   .period = 1ms});
  if (!loaded) {
    EXPECT_EQ(loaded.error().kind, os::ErrorKind::not_permitted);
    EXPECT_THAT(loaded.error().text, HasSubstr("tracing programs"));
    return;
  }
  program_ = std::move(*loaded);
  const MarkedThread thread(marks);
  const auto inside = os::innermost_tid("/proc/self", thread.tid());
  ASSERT_TRUE(inside && program_->watch(static_cast<std::uint32_t>(*inside), 7, no_stack));
  ASSERT_TRUE(program_->begin_ticks());
  std::uint64_t first = 0, last = 0, stands_for = 0;
  for (const auto& record : some(100)) {
    EXPECT_EQ(record.head.thread, 7u);
    EXPECT_EQ(record.head.registers[Register::r12], marks[0]);
    EXPECT_TRUE(thread.loop().contains(record.head.registers[Register::rip]));
    if (first != 0) stands_for += record.head.cpu_time;
    if (first == 0) first = record.head.time;
    last = record.head.time;
  }
  EXPECT_LE(stands_for, last - first);
}

TEST(EbpfProgramLoad, refuses_a_process_struct_that_has_no_room) {
  auto layout = tests::shipped_layout("27");
  layout.process.size = most_process_bytes + 1;
  const auto loaded = EbpfProgram::load({.layout = &layout});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, os::ErrorKind::unsupported);
}

}  // namespace
}  // namespace beam_exporter::sampling
