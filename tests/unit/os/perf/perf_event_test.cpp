#include "os/perf/perf_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <semaphore>
#include <thread>
#include <vector>

#include "harness/child_process.h"
#include "os/memory/memory_map.h"
#include "os/perf/perf_ring.h"

namespace beam_exporter::os {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

nanoseconds now_on(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

constexpr std::uint64_t canary = 0x5ca1ab1e0ddba11;

// A thread that burns CPU time in one frame, with a known word in it, and knows how much it used.
class Burner {
 public:
  explicit Burner(nanoseconds amount) : amount_(amount), thread_([this] { burn(); }) {
    ready_.acquire();
  }
  ~Burner() {
    release();
    thread_.join();
  }

  pid_t tid() const { return tid_; }
  Address canary_address() const { return canary_address_; }
  void go() { go_.release(); }
  bool burned() const { return burned_; }
  nanoseconds used() const { return used_; }  // so far
  void release() {
    go_.release();
    end_.release();
  }

 private:
  // AddressSanitizer moves locals to a stack of its own (use after return).
  [[gnu::no_sanitize_address]] void burn() {
    volatile std::uint64_t word[4] = {canary, canary, canary, canary};
    tid_ = gettid();
    canary_address_ = reinterpret_cast<Address>(&word[0]);
    ready_.release();
    go_.acquire();
    const nanoseconds begin = now_on(CLOCK_THREAD_CPUTIME_ID);
    while ((used_ = now_on(CLOCK_THREAD_CPUTIME_ID) - begin) < amount_)
      for (int k = 0; k < 10000; ++k) word[3] = word[3] + 1;
    burned_ = true;
    end_.acquire();
  }

  nanoseconds amount_;
  std::atomic<nanoseconds> used_{};
  std::binary_semaphore ready_{0};
  std::counting_semaphore<> go_{0}, end_{0};
  std::atomic<pid_t> tid_ = 0;
  std::atomic<Address> canary_address_ = 0;
  std::atomic<bool> burned_ = false;
  std::thread thread_;
};

class LiveSampling : public testing::Test {
 protected:
  // The event and its ring; skips the test where the kernel refuses.
  void open(pid_t tid, nanoseconds period) {
    auto event = open_sampling_event(tid, period);
    if (!event && event.error().kind == ErrorKind::not_permitted)
      GTEST_SKIP() << event.error().text;
    ASSERT_TRUE(event) << event.error().text;
    auto ring = PerfRing::map(event->fd.get(), 64);
    ASSERT_TRUE(ring) << ring.error().text;
    event_.emplace(std::move(*event));
    ring_.emplace(std::move(*ring));
  }

  std::optional<SamplingEvent> event_;
  std::optional<PerfRing> ring_;
};

TEST_F(LiveSampling, fires_once_per_period_of_the_threads_own_cpu_time) {
  constexpr auto period = 2ms;
  Burner burner(600ms);
  open(burner.tid(), period);
  if (IsSkipped() || HasFatalFailure()) return;
  const auto map = MemoryMap::read("/proc/self");
  ASSERT_TRUE(map);
  std::uint64_t lost = 0, samples = 0, with_canary = 0, at_known_code = 0;
  std::vector<nanoseconds> times;
  const auto look = [&](const PerfSample& sample) {
    ++samples;
    EXPECT_EQ(sample.tid, burner.tid());
    times.push_back(sample.time);
    if (!sample.has_registers) return;
    const auto* code = map->find(sample.registers[UserRegisters::rip]);
    at_known_code += code != nullptr && code->executable;
    const Address rsp = sample.registers[UserRegisters::rsp];
    std::uint64_t word = 0;
    if (rsp <= burner.canary_address() &&
        burner.canary_address() - rsp + sizeof word <= sample.stack.size())
      std::memcpy(&word, sample.stack.data() + (burner.canary_address() - rsp), sizeof word);
    with_canary += word == canary;
  };
  const nanoseconds begin = now_on(CLOCK_MONOTONIC);
  // Opened disabled: what the thread does before is not sampled.
  lost += ring_->drain(look);
  EXPECT_EQ(samples, 0u);
  enable_sampling(*event_);
  burner.go();
  while (!burner.burned()) {
    lost += ring_->drain(look);
    std::this_thread::yield();
  }
  lost += ring_->drain(look);
  const nanoseconds end = now_on(CLOCK_MONOTONIC);

  const double expected = static_cast<double>(burner.used().count()) / nanoseconds(period).count();
  EXPECT_NEAR(static_cast<double>(samples + lost), expected, 0.1 * expected + 2);
  ASSERT_GT(samples, 0u);
  EXPECT_EQ(with_canary, samples);
  EXPECT_EQ(at_known_code, samples);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_GE(times.front(), begin);
  EXPECT_LE(times.back(), end);
}

TEST_F(LiveSampling, a_thread_that_sleeps_is_not_sampled) {
  Burner burner(1ms);
  open(burner.tid(), 1ms);
  if (IsSkipped() || HasFatalFailure()) return;
  enable_sampling(*event_);
  std::this_thread::sleep_for(100ms);  // it waits for us
  std::uint64_t samples = 0;
  EXPECT_EQ(ring_->drain([&](const PerfSample&) { ++samples; }), 0u);
  EXPECT_LE(samples, 1u);
}

// The kernel tells of what it dropped with the next record that fits.
TEST_F(LiveSampling, a_full_ring_counts_what_it_drops) {
  constexpr auto period = 1ms;
  Burner burner(200ms);
  open(burner.tid(), period);
  if (IsSkipped() || HasFatalFailure()) return;
  enable_sampling(*event_);
  burner.go();
  std::uint64_t samples = 0, lost = 0;
  const auto drain = [&] { lost += ring_->drain([&](const PerfSample&) { ++samples; }); };
  while (!burner.burned()) {
    // Left alone until it has used more than a ring holds; then drained to the end.
    if (burner.used() > 100ms) drain();
    std::this_thread::yield();
  }
  drain();
  EXPECT_GT(lost, 50u);
  const double expected = static_cast<double>(burner.used().count()) / nanoseconds(period).count();
  EXPECT_NEAR(static_cast<double>(samples + lost), expected, 0.1 * expected + 2);
}

TEST(OpenSamplingEvent, tells_that_a_thread_has_ended) {
  auto child = tests::ChildProcess::forked([] { return 0; });
  const pid_t pid = child.pid();
  child.join();
  const auto event = open_sampling_event(pid, 1ms);
  ASSERT_FALSE(event);
  if (event.error().kind == ErrorKind::not_permitted) GTEST_SKIP() << event.error().text;
  EXPECT_EQ(event.error().kind, ErrorKind::gone);
  EXPECT_THAT(event.error().text, testing::HasSubstr(std::to_string(pid)));
}

}  // namespace
}  // namespace beam_exporter::os
