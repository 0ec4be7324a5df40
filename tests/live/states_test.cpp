// Microstate accounting of a real VM, by the VM and by us. Debian's VM tells the seven basic states
// only: what is compared is what each sample would count as in such a VM
// (Attribution::basic_state).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "attribution/attributor.h"
#include "harness/beam_target.h"
#include "os/memory/process_memory.h"
#include "os/monotonic_clock.h"
#include "os/process/threads.h"
#include "sampling/ebpf/ebpf_source.h"
#include "totals/scheduler_clock.h"

namespace beam_exporter::tests {
namespace {

using namespace std::chrono_literals;
using attribution::State;
using os::monotonic_now;

constexpr unsigned frequency = 1999;
constexpr auto window = 6s;
// Four standard errors of a share of one half among 12,000 samples of a busy thread.
constexpr double points = 0.02;

// Shares of the wall time of a thread, by state, which add up to 1.
using Shares = std::map<std::string, double>;
using ByThread = std::map<std::string, Shares>;

Shares as_shares(Shares seconds) {
  double all = 0;
  for (const auto& [state, value] : seconds) all += value;
  for (auto& [state, value] : seconds) value = all > 0 ? value / all : 0;
  return seconds;
}

std::string msacc_type(beam::ThreadKind kind) {
  switch (kind) {
    case beam::ThreadKind::normal:
      return "scheduler";
    case beam::ThreadKind::dirty_cpu:
      return "dirty_cpu_scheduler";
    case beam::ThreadKind::dirty_io:
      return "dirty_io_scheduler";
    case beam::ThreadKind::aux:
      return "aux";
    case beam::ThreadKind::poll:
      return "poll";
    case beam::ThreadKind::async:
      return "async";
  }
  return {};
}

class LiveStates : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto lack = BeamTarget::lack(GetParam())) GTEST_SKIP() << *lack;
    target_ = std::make_unique<BeamTarget>(
        GetParam(), "state_work", std::vector<std::string>{"+S", "1", "+SDcpu", "1", "+SDio", "1"});
    const auto process = os::Process::open(target_->pid());
    const auto library = beam::LayoutLibrary::load();
    ASSERT_TRUE(process && library);
    process_ = *process;
    memory_ = std::make_unique<os::ProcessMemory>(target_->pid());
    auto vm = beam::VirtualMachine::attach(*process, *memory_, *library, monotonic_now);
    ASSERT_TRUE(vm) << vm.error().text;
    vm_ = std::move(*vm);
    auto source = sampling::EbpfSource::start(*vm_, frequency);
    if (!source) GTEST_SKIP() << "needs the right to eBPF: " << source.error().text;
    source_ = std::move(*source);
    attributor_ = std::make_unique<attribution::Attributor>(*vm_, *source_->objects());
    target_->ask("msacc on");
  }

  void run(const std::string& kind, int copies = 1) {
    target_->ask("run " + kind + " " + std::to_string(copies));
  }

  // Looks on for a while; the difference of every share must be within `points`.
  void compare(const std::string& what);

  Shares& ours(const std::string& type) { return ours_[type]; }

 private:
  ByThread told() const;
  static ByThread measured(const totals::SchedulerClock& clock);
  void collect();
  void advance();

  std::optional<os::Process> process_;
  std::unique_ptr<BeamTarget> target_;
  std::unique_ptr<os::ProcessMemory> memory_;
  std::unique_ptr<beam::VirtualMachine> vm_;
  std::unique_ptr<sampling::EbpfSource> source_;
  std::unique_ptr<attribution::Attributor> attributor_;
  totals::SchedulerClock basic_, full_;
  sampling::SampleBatch batch_;
  ByThread ours_;
};

ByThread LiveStates::told() const {
  ByThread all;
  for (const auto& thread : target_->ask("msacc")) {
    auto& states = all[thread.at("type").get<std::string>()];
    for (const auto& [state, ticks] : thread.at("counters").items())
      states[state] += ticks.get<double>();
  }
  return all;
}

ByThread LiveStates::measured(const totals::SchedulerClock& clock) {
  ByThread all;
  for (const auto& thread : clock.times())
    for (std::size_t state = 0; state < thread.seconds.size(); ++state)
      all[msacc_type(thread.kind)][std::string(name_of(static_cast<State>(state)))] +=
          thread.seconds[state];
  return all;
}

ByThread growth(const ByThread& before, const ByThread& after) {
  ByThread grown = after;
  for (auto& [thread, states] : grown)
    if (const auto known = before.find(thread); known != before.end())
      for (auto& [state, value] : states)
        if (const auto was = known->second.find(state); was != known->second.end())
          value -= was->second;
  for (auto& [thread, states] : grown) states = as_shares(states);
  return grown;
}

// What the clock itself adds to such states, for time off CPU.
ByThread basic_wait_and_nif(ByThread all) {
  for (auto& [thread, states] : all) {
    states["other"] += states["busy_wait"];
    states["emulator"] += states["nif"];
    states.erase("busy_wait");
    states.erase("nif");
  }
  return all;
}

void LiveStates::collect() {
  batch_.clear();
  source_->collect(batch_);
  const bool fresh = bool(vm_->code().refresh());
  for (const auto& sample : batch_.samples()) {
    const auto meaning = attributor_->attribute(sample, fresh);
    // What spinning counts as is decided afterwards: the clock has to know it from work.
    const bool spins = meaning.state == State::busy_wait;
    basic_.add(sample.role, spins ? State::busy_wait : meaning.basic_state, sample.cpu_time);
    full_.add(sample.role, meaning.state, sample.cpu_time);
  }
}

void LiveStates::advance() {
  totals::SchedulerClock::CpuUse use;
  for (const auto& role : source_->roles()) use[role].off_cpu = source_->off_cpu(role);
  for (auto* clock : {&basic_, &full_}) clock->advance(source_->roles(), monotonic_now(), use);
}

void LiveStates::compare(const std::string& what) {
  const auto look = [&](std::chrono::nanoseconds duration) {
    auto next = monotonic_now();
    for (const auto end = next + duration; monotonic_now() < end;) {
      auto waiting = source_->descriptors();
      ::poll(waiting.data(), waiting.size(), 50);
      collect();
      if (monotonic_now() < next) continue;
      next += 200ms;
      (void)source_->refresh_threads();
      advance();
    }
  };
  look(500ms);
  const auto told_before = told(), basic_before = measured(basic_), full_before = measured(full_);
  look(window);
  const auto told_after = told();
  collect();
  advance();
  const auto theirs = growth(told_before, told_after);
  const auto basic = growth(basic_wait_and_nif(basic_before), basic_wait_and_nif(measured(basic_)));
  ours_ = growth(full_before, measured(full_));
  for (const auto& [type, states] : theirs) {
    if (!basic.contains(type)) continue;
    double beyond = 0;
    for (const auto& [state, share] : basic.at(type)) {
      const auto known = states.find(state);
      const double truth = known == states.end() ? 0 : known->second;
      if (share > 0.001 || truth > 0.001)
        std::printf("%s: %-20s %-9s the VM %.4f, we %.4f, %+.4f\n", what.c_str(), type.c_str(),
                    state.c_str(), truth, share, share - truth);
      EXPECT_NEAR(share, truth, points) << what << ": " << type << " " << state;
      if (known == states.end()) beyond += share;
    }
    EXPECT_EQ(beyond, 0) << type << " has a state that only a VM with extended states has";
  }
}

INSTANTIATE_TEST_SUITE_P(Releases, LiveStates, testing::Values("25", "27"),
                         [](const auto& release) { return "otp" + release.param; });

TEST_P(LiveStates, a_bit_of_everything) {
  run("mixed");
  compare("mixed");
  EXPECT_GT(ours("scheduler")["emulator"], 0.05);
  EXPECT_GT(ours("scheduler")["gc"], 0.01);
}

}  // namespace
}  // namespace beam_exporter::tests
