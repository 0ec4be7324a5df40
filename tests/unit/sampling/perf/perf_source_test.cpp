#include "sampling/perf/perf_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <memory>
#include <semaphore>
#include <thread>

#include "fakes/fake_vm.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::sampling {
namespace {

using namespace std::chrono_literals;
using beam::ThreadKind;
using beam::ThreadRole;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::chrono::nanoseconds own_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// A thread of ours under the name of one of the VM's; it burns CPU time when it is told to.
class NamedThread {
 public:
  explicit NamedThread(const char* name) : thread_([this, name] { live(name); }) {
    settled_.acquire();
  }
  ~NamedThread() { end(); }
  NamedThread(const NamedThread&) = delete;

  void burn(std::chrono::nanoseconds amount) {
    amount_ = amount;
    go_.release();
    settled_.acquire();
  }
  void end() {
    if (!thread_.joinable()) return;
    amount_ = 0ns;
    go_.release();
    thread_.join();
  }

 private:
  void live(const char* name) {
    prctl(PR_SET_NAME, name);
    for (;;) {
      settled_.release();
      go_.acquire();
      const auto amount = amount_.load();
      if (amount == 0ns) return;
      for (const auto until = own_cpu_time() + amount; own_cpu_time() < until;)
        ;
    }
  }

  std::binary_semaphore settled_{0}, go_{0};
  std::atomic<std::chrono::nanoseconds> amount_{};
  std::thread thread_;
};

// The process that the VM in memory is attached as is ours: our threads are its threads.
class PerfSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto attached = memory_.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    vm_ = std::move(*attached);
  }
  void start(unsigned frequency = 1000) {
    auto source = PerfSource::start(*vm_, frequency);
    if (!source && source.error().kind == os::ErrorKind::not_permitted)
      GTEST_SKIP() << source.error().text;
    ASSERT_TRUE(source) << source.error().text;
    source_ = std::move(*source);
  }
  std::span<const RawSample> collected() {
    batch_.clear();
    source_->collect(batch_);
    return batch_.samples();
  }

  tests::FakeVm memory_{tests::shipped_layout("25")};
  std::unique_ptr<beam::VirtualMachine> vm_;
  std::unique_ptr<SampleSource> source_;
  SampleBatch batch_;
};

constexpr ThreadRole first{ThreadKind::normal, 1}, second{ThreadKind::normal, 2},
    poller{ThreadKind::poll, 0};

TEST_F(PerfSourceTest, samples_the_threads_whose_names_tell_what_they_are) {
  const NamedThread scheduler("1_scheduler"), dirty("1_dirty_io_sche"), poll("0_poller"),
      stranger("rocksdb:low");
  start();
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_EQ(source_->name(), "perf");
  EXPECT_THAT(source_->roles(),
              UnorderedElementsAre(first, ThreadRole{ThreadKind::dirty_io, 1}, poller));
  EXPECT_EQ(source_->descriptors().size(), 3u);
  for (const auto& descriptor : source_->descriptors()) {
    EXPECT_GE(descriptor.fd, 0);
    EXPECT_EQ(descriptor.events, POLLIN);
  }
}

TEST_F(PerfSourceTest, a_vm_without_threads_of_its_own_cannot_be_sampled) {
  const auto source = PerfSource::start(*vm_, 1000);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().kind, os::ErrorKind::gone);
}

TEST_F(PerfSourceTest, samples_stand_for_the_cpu_time_of_the_thread_that_used_it) {
  NamedThread busy("2_scheduler");
  const NamedThread idle("1_scheduler");
  start(1000);
  if (IsSkipped() || HasFatalFailure()) return;
  std::chrono::nanoseconds sum{};
  const auto begin = os::monotonic_now();
  for (int round = 0; round < 50; ++round) {
    busy.burn(8ms);
    const auto now = os::monotonic_now();
    for (const auto& sample : collected()) {
      EXPECT_EQ(sample.role, second);
      EXPECT_GT(sample.cpu_time, 0ns);
      EXPECT_GE(sample.time, begin);
      EXPECT_LE(sample.time, now);
      EXPECT_GE(sample.read_delay, 0ns);
      EXPECT_LE(sample.read_delay, os::monotonic_now() - sample.time);
      sum += sample.cpu_time;
    }
  }
  sum += source_->losses()[Loss::missed] * 1ms;
  EXPECT_NEAR(static_cast<double>(sum.count()), 400e6, 10e6);
  EXPECT_EQ(source_->losses()[Loss::no_user_state], 0u);
}

TEST_F(PerfSourceTest, a_sample_stands_for_those_before_it_that_had_no_room) {
  NamedThread busy("1_scheduler");
  start(1000);
  if (IsSkipped() || HasFatalFailure()) return;
  std::chrono::nanoseconds sum{};
  for (int round = 0; round < 10; ++round) {
    busy.burn(28ms);  // the ring holds 15 samples
    for (const auto& sample : collected()) sum += sample.cpu_time;
  }
  busy.burn(3ms);
  for (const auto& sample : collected()) sum += sample.cpu_time;
  EXPECT_GE(source_->losses()[Loss::ring_full], 100u);
  EXPECT_EQ(source_->losses()[Loss::missed], 0u);
  EXPECT_NEAR(static_cast<double>(sum.count()), 283e6, 10e6);
}

TEST_F(PerfSourceTest, a_sample_becomes_readable_at_a_descriptor) {
  NamedThread busy("1_scheduler");
  start(1000);
  if (IsSkipped() || HasFatalFailure()) return;
  busy.burn(10ms);
  auto waiting = source_->descriptors();
  ASSERT_EQ(poll(waiting.data(), waiting.size(), 10'000), 1);
  EXPECT_NE(waiting[0].revents & POLLIN, 0);
  EXPECT_FALSE(collected().empty());
}

TEST_F(PerfSourceTest, knows_the_process_a_scheduler_executes) {
  const auto& at = memory_.layout.scheduler_data;
  NamedThread busy("1_scheduler"), other("2_scheduler"), poll("0_poller");
  const os::Address process = memory_.processes.at(1);
  memory_.memory.put(memory_.schedulers.at(0), at.current_process, process);
  start(1000);
  if (IsSkipped() || HasFatalFailure()) return;
  busy.burn(5ms);
  other.burn(5ms);
  poll.burn(5ms);
  std::map<ThreadRole, int> samples;
  for (const auto& sample : collected()) {
    ++samples[sample.role];
    EXPECT_EQ(sample.process.has_value(), sample.role == first);
    if (sample.process) {
      EXPECT_EQ(sample.process->address, process);
    }
    EXPECT_FALSE(sample.process_unreadable);
  }
  EXPECT_GT(samples[first], 0);
  EXPECT_GT(samples[second], 0);
  EXPECT_GT(samples[poller], 0);
  // A pointer to what is no process is told apart from none.
  memory_.memory.put(memory_.schedulers.at(0), at.current_process, 0x1000);
  busy.burn(5ms);
  ASSERT_FALSE(collected().empty());
  EXPECT_TRUE(batch_.samples()[0].process_unreadable);
  EXPECT_FALSE(batch_.samples()[0].process);
}

TEST_F(PerfSourceTest, threads_come_and_go) {
  auto scheduler = std::make_unique<NamedThread>("1_scheduler");
  start();
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_THAT(source_->roles(), ElementsAre(first));
  auto late = std::make_unique<NamedThread>("2_scheduler");
  ASSERT_TRUE(source_->refresh_threads());
  EXPECT_THAT(source_->roles(), UnorderedElementsAre(first, second));
  late->burn(5ms);
  ASSERT_FALSE(collected().empty());
  EXPECT_EQ(batch_.samples()[0].role, second);
  scheduler.reset();
  ASSERT_TRUE(source_->refresh_threads());
  EXPECT_THAT(source_->roles(), ElementsAre(second));
  EXPECT_EQ(source_->descriptors().size(), 1u);
  late.reset();
  EXPECT_FALSE(source_->refresh_threads());
  EXPECT_THAT(source_->roles(), IsEmpty());
  EXPECT_TRUE(source_->descriptors().empty());
  EXPECT_TRUE(collected().empty());
}

// A thread that is born in a NIF has the name of the scheduler that ran it.
TEST_F(PerfSourceTest, a_second_thread_of_a_name_is_not_taken_for_the_scheduler) {
  NamedThread scheduler("1_scheduler"), impostor("1_scheduler");
  start();
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_THAT(source_->roles(), ElementsAre(first));
  impostor.burn(5ms);
  EXPECT_TRUE(collected().empty());
  const NamedThread later("1_scheduler");
  ASSERT_TRUE(source_->refresh_threads());
  EXPECT_THAT(source_->roles(), ElementsAre(first));
  scheduler.burn(5ms);
  EXPECT_FALSE(collected().empty());
}

TEST_F(PerfSourceTest, what_does_not_fit_the_ring_is_counted_as_lost) {
  NamedThread busy("1_scheduler");
  start(1000);
  if (IsSkipped() || HasFatalFailure()) return;
  busy.burn(100ms);  // six rings full
  std::size_t samples = collected().size();
  EXPECT_GT(samples, 0u);
  EXPECT_LE(samples, 16u);
  busy.burn(5ms);  // the kernel tells with the next record that fits
  samples += collected().size();
  EXPECT_NEAR(static_cast<double>(samples + source_->losses()[Loss::ring_full]), 105, 12);
}

}  // namespace
}  // namespace beam_exporter::sampling
