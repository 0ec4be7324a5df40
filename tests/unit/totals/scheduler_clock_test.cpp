#include "totals/scheduler_clock.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace beam_exporter::totals {
namespace {

using namespace std::chrono_literals;
using beam::ThreadRole;

constexpr ThreadRole first{beam::ThreadKind::normal, 1}, second{beam::ThreadKind::normal, 2},
    dirty{beam::ThreadKind::dirty_io, 1}, poll{beam::ThreadKind::poll, 0};

SchedulerTime of(const SchedulerClock& clock, ThreadRole role) {
  for (const auto& time : clock.times())
    if (time.kind == role.kind && time.number == role.number) return time;
  ADD_FAILURE() << "no such thread";
  return {};
}
double in(const SchedulerTime& time, attribution::State state) {
  return time.seconds[static_cast<std::size_t>(state)];
}
double wall(const SchedulerTime& time) {
  return std::accumulate(time.seconds.begin(), time.seconds.end(), 0.0);
}

TEST(SchedulerClock, what_is_not_sampled_is_sleep) {
  SchedulerClock clock;
  clock.advance({first}, 100s);
  EXPECT_EQ(wall(of(clock, first)), 0);
  clock.add(first, attribution::State::emulator, 250ms);
  clock.add(first, attribution::State::other, 100ms);
  clock.advance({first}, 101s);
  const auto time = of(clock, first);
  EXPECT_DOUBLE_EQ(in(time, attribution::State::emulator), 0.25);
  EXPECT_DOUBLE_EQ(in(time, attribution::State::other), 0.1);
  EXPECT_DOUBLE_EQ(in(time, attribution::State::sleep), 0.65);
}

TEST(SchedulerClock, cpu_time_beyond_the_wall_is_carried_and_not_lost) {
  SchedulerClock clock;
  clock.advance({first}, 0s);
  clock.add(first, attribution::State::emulator, 900ms);
  clock.add(first, attribution::State::other, 300ms);
  clock.advance({first}, 1s);
  EXPECT_DOUBLE_EQ(in(of(clock, first), attribution::State::emulator), 0.75);
  EXPECT_DOUBLE_EQ(in(of(clock, first), attribution::State::other), 0.25);
  EXPECT_NEAR(in(of(clock, first), attribution::State::sleep), 0, 1e-12);
  clock.advance({first}, 2s);
  EXPECT_DOUBLE_EQ(in(of(clock, first), attribution::State::emulator), 0.9);
  EXPECT_DOUBLE_EQ(in(of(clock, first), attribution::State::other), 0.3);
  EXPECT_NEAR(wall(of(clock, first)), 2, 1e-12);
}

TEST(SchedulerClock, threads_come_and_go_on_their_own) {
  SchedulerClock clock;
  clock.advance({first}, 10s);
  clock.advance({first, second}, 11s);
  clock.advance({second}, 13s);
  clock.advance({first, second}, 20s);
  clock.advance({first, second}, 21s);
  EXPECT_DOUBLE_EQ(wall(of(clock, first)), 2);    // 10 to 11, 20 to 21
  EXPECT_DOUBLE_EQ(wall(of(clock, second)), 10);  // 11 to 21
  EXPECT_EQ(clock.times().size(), 2u);
}

TEST(SchedulerClock, no_time_passes_without_a_vm_and_its_last_samples_are_gone_with_it) {
  SchedulerClock clock;
  clock.advance({first}, 0s);
  clock.advance({first}, 5s);
  clock.add(first, attribution::State::emulator, 1s);
  clock.pause();
  clock.advance({first}, 100s);
  clock.advance({first}, 101s);
  EXPECT_DOUBLE_EQ(wall(of(clock, first)), 6);
  EXPECT_EQ(in(of(clock, first), attribution::State::emulator), 0);
}

TEST(SchedulerClock, a_clock_that_stands_or_goes_back_takes_nothing_away) {
  SchedulerClock clock;
  clock.advance({first}, 10s);
  clock.add(first, attribution::State::emulator, 1s);
  clock.advance({first}, 10s);
  EXPECT_EQ(wall(of(clock, first)), 0);
  clock.advance({first}, 9s);
  EXPECT_EQ(wall(of(clock, first)), 0);
  clock.advance({first}, 11s);
  EXPECT_DOUBLE_EQ(wall(of(clock, first)), 1);  // since 10, where time had been already
  EXPECT_DOUBLE_EQ(in(of(clock, first), attribution::State::emulator), 1);
}

TEST(SchedulerClock, tells_only_the_states_a_thread_can_be_seen_in) {
  SchedulerClock clock;
  clock.advance({first, dirty, poll}, 0s);
  const auto known = [&](ThreadRole role, attribution::State state) {
    return of(clock, role).known[static_cast<std::size_t>(state)];
  };
  for (const auto role : {first, dirty, poll}) {
    EXPECT_TRUE(known(role, attribution::State::other));
    EXPECT_TRUE(known(role, attribution::State::sleep));
    EXPECT_FALSE(known(role, attribution::State::gc_full));
    EXPECT_EQ(known(role, attribution::State::emulator), role != poll);
    EXPECT_EQ(known(role, attribution::State::timers), role == first);
    EXPECT_EQ(known(role, attribution::State::check_io), role != dirty);
  }
  clock.tell(attribution::all_states);
  EXPECT_TRUE(known(first, attribution::State::gc_full));
  EXPECT_TRUE(known(dirty, attribution::State::gc_full));
  EXPECT_FALSE(known(poll, attribution::State::gc_full));
}

TEST(SchedulerClock, what_a_thread_cannot_be_told_to_do_is_other_and_major_collections_are_gc) {
  SchedulerClock clock;
  clock.advance({first, poll}, 0s);
  clock.add(first, attribution::State::gc_full, 100ms);
  clock.add(poll, attribution::State::emulator, 200ms);
  clock.advance({first, poll}, 1s);
  EXPECT_DOUBLE_EQ(in(of(clock, first), attribution::State::gc), 0.1);
  EXPECT_DOUBLE_EQ(in(of(clock, poll), attribution::State::other), 0.2);
}

// What a source measures beside its samples.
SchedulerClock::CpuUse measured(sampling::OffCpu off_cpu) {
  return {{first, {.off_cpu = off_cpu}}};
}

TEST(SchedulerClock, what_the_build_of_the_vm_hides_is_other_and_not_known) {
  SchedulerClock clock;
  clock.tell(attribution::StateSet(attribution::all_states)
                 .reset(static_cast<std::size_t>(attribution::State::port)));
  clock.advance({first}, 10s, measured({.in_port = 1s, .in_nif = 1s}));
  clock.add(first, attribution::State::port, 100ms);
  clock.add(first, attribution::State::gc_full, 200ms);
  clock.advance({first}, 11s, measured({.in_port = 1050ms, .in_nif = 1300ms}));
  const auto told = of(clock, first);
  EXPECT_FALSE(told.known[static_cast<std::size_t>(attribution::State::port)]);
  EXPECT_DOUBLE_EQ(in(told, attribution::State::port), 0);
  EXPECT_NEAR(in(told, attribution::State::other), 0.15, 1e-9);
  EXPECT_NEAR(in(told, attribution::State::nif), 0.3, 1e-9);
  EXPECT_DOUBLE_EQ(in(told, attribution::State::gc_full), 0.2);
}

TEST(SchedulerClock, time_preempted_belongs_to_what_the_thread_was_doing) {
  SchedulerClock clock;
  const auto use = [](auto running, auto waiting, std::uint64_t preempted) {
    return SchedulerClock::CpuUse{{first, {.counted = os::CpuUse{running, waiting, 7, preempted}}}};
  };
  clock.advance({first}, 10s, use(5s, 50s, 20));
  clock.add(first, attribution::State::emulator, 200ms);
  clock.add(first, attribution::State::busy_wait, 100ms);
  clock.advance({first}, 11s, use(5300ms, 50600ms, 30));
  const auto time = of(clock, first);
  EXPECT_NEAR(in(time, attribution::State::emulator), 0.6, 1e-9);
  EXPECT_NEAR(in(time, attribution::State::busy_wait), 0.3, 1e-9);
  EXPECT_NEAR(in(time, attribution::State::sleep), 0.1, 1e-9);
  EXPECT_NEAR(*time.utilization, 0.6, 1e-9);
  // A kernel that stops to tell changes nothing but that.
  clock.add(first, attribution::State::emulator, 200ms);
  clock.advance({first}, 12s);
  EXPECT_NEAR(in(of(clock, first), attribution::State::emulator), 0.8, 1e-9);
}

TEST(SchedulerClock, waiting_for_a_cpu_after_waking_up_is_sleep) {
  SchedulerClock clock;
  clock.advance({first}, 10s, {{first, {.counted = os::CpuUse{5s, 50s, 10, 10}}}});
  clock.add(first, attribution::State::emulator, 200ms);
  clock.advance({first}, 11s, {{first, {.counted = os::CpuUse{5200ms, 50400ms, 20, 10}}}});
  EXPECT_NEAR(in(of(clock, first), attribution::State::emulator), 0.2, 1e-9);
  // Three of four waits began with a preemption: three quarters of the time are taken for that.
  clock.add(first, attribution::State::emulator, 200ms);
  clock.advance({first}, 12s, {{first, {.counted = os::CpuUse{5400ms, 50800ms, 30, 40}}}});
  EXPECT_NEAR(in(of(clock, first), attribution::State::emulator), 0.2 + 0.2 + 0.3, 1e-9);
}

TEST(SchedulerClock, measured_time_off_cpu_belongs_to_what_the_thread_was_doing) {
  SchedulerClock clock;
  clock.advance({first}, 10s, measured({.working = 5s, .in_port = 1s, .spinning = 2s}));
  clock.add(first, attribution::State::emulator, 300ms);
  clock.add(first, attribution::State::gc, 100ms);
  clock.add(first, attribution::State::sleep, 10ms);
  clock.advance({first}, 11s, measured({.working = 5200ms, .in_port = 1050ms, .spinning = 2080ms}));
  const auto time = of(clock, first);
  EXPECT_NEAR(in(time, attribution::State::emulator), 0.45, 1e-9);
  EXPECT_NEAR(in(time, attribution::State::gc), 0.15, 1e-9);
  EXPECT_NEAR(in(time, attribution::State::port), 0.05, 1e-9);
  EXPECT_NEAR(in(time, attribution::State::busy_wait), 0.08, 1e-9);
  EXPECT_NEAR(in(time, attribution::State::sleep), 0.27, 1e-9);
  EXPECT_NEAR(*time.utilization, 0.65, 1e-9);
}

TEST(SchedulerClock, blocked_for_long_is_what_it_did_last) {
  SchedulerClock clock;
  clock.advance({first}, 0s, measured({}));
  clock.add(first, attribution::State::nif, 10ms);
  clock.add(first, attribution::State::busy_wait, 10ms);
  clock.advance({first}, 1s, measured({}));
  clock.advance({first}, 2s, measured({.working = 1s}));
  EXPECT_NEAR(in(of(clock, first), attribution::State::nif), 1.01, 1e-9);
}

TEST(SchedulerClock, what_was_still_going_on_may_turn_out_shorter_and_nothing_is_taken_back) {
  SchedulerClock clock;
  clock.advance({first}, 0s, measured({}));
  clock.add(first, attribution::State::emulator, 10ms);
  clock.advance({first}, 1s, measured({.working = 500ms}));
  clock.advance({first}, 2s, measured({.working = 490ms}));
  clock.advance({first}, 3s, measured({.working = 600ms}));
  EXPECT_NEAR(in(of(clock, first), attribution::State::emulator), 0.61, 1e-9);
}

TEST(SchedulerClock, lost_samples_were_of_what_the_others_are_of) {
  SchedulerClock clock;
  clock.advance({first}, 0s, measured({}));
  clock.add(first, attribution::State::emulator, 300ms);
  clock.add(first, attribution::State::gc, 100ms);
  clock.advance({first}, 1s, measured({.lost = 200ms}));
  EXPECT_NEAR(in(of(clock, first), attribution::State::emulator), 0.45, 1e-9);
  EXPECT_NEAR(in(of(clock, first), attribution::State::gc), 0.15, 1e-9);
}

TEST(SchedulerClock, spinning_too_short_to_be_sampled_is_not_work) {
  SchedulerClock clock;
  clock.advance({first}, 0s, measured({}));
  clock.add(first, attribution::State::emulator, 400ms);
  clock.advance({first}, 1s, measured({.spun = 300ms}));
  EXPECT_NEAR(in(of(clock, first), attribution::State::emulator), 0.1, 1e-9);
  EXPECT_NEAR(in(of(clock, first), attribution::State::busy_wait), 0.3, 1e-9);
  // Known before there are samples: it waits for them.
  clock.advance({first}, 2s, measured({.spun = 400ms}));
  clock.add(first, attribution::State::gc, 200ms);
  clock.advance({first}, 3s, measured({.spun = 400ms}));
  EXPECT_NEAR(in(of(clock, first), attribution::State::gc), 0.1, 1e-9);
  EXPECT_NEAR(in(of(clock, first), attribution::State::busy_wait), 0.4, 1e-9);
}

TEST(SchedulerClock, utilization_is_of_the_last_interval_and_leaves_out_busy_wait) {
  SchedulerClock clock;
  clock.advance({first}, 0s);
  EXPECT_FALSE(of(clock, first).utilization);
  clock.add(first, attribution::State::emulator, 300ms);
  clock.add(first, attribution::State::gc, 100ms);
  clock.add(first, attribution::State::busy_wait, 500ms);
  clock.advance({first}, 1s);
  EXPECT_NEAR(*of(clock, first).utilization, 0.4, 1e-12);
  clock.advance({first}, 2s);
  EXPECT_NEAR(*of(clock, first).utilization, 0, 1e-12);
  clock.pause();
  EXPECT_FALSE(of(clock, first).utilization);
}

TEST(SchedulerClock, whatever_the_load_states_sum_to_wall_time_and_none_shrinks) {
  const attribution::State states[] = {attribution::State::emulator, attribution::State::other};
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](std::int64_t most) {
      return std::chrono::nanoseconds(std::uniform_int_distribution<std::int64_t>(0, most)(random));
    };
    SchedulerClock clock;
    SchedulerTime before;
    std::chrono::nanoseconds now = up_to(1'000'000'000'000), passed{}, added{};
    clock.advance({first}, now);
    for (int step = 0; step < 1000; ++step) {
      const auto interval = up_to(step % 7 == 0 ? 3 : 1'000'000'000);
      // Heavy overload now and then, idle phases to work it off.
      const std::int64_t load = step / 100 % 2 == 0 ? 900'000'000 : 200'000'000;
      for (const attribution::State state : states) {
        const auto cpu = up_to(load);
        clock.add(first, state, cpu);
        added += cpu;
      }
      now += interval;
      passed += interval;
      clock.advance({first}, now);
      const auto time = of(clock, first);
      for (std::size_t k = 0; k < time.seconds.size(); ++k)
        ASSERT_GE(time.seconds[k], before.seconds[k])
            << attribution::name_of(static_cast<attribution::State>(k));
      ASSERT_NEAR(wall(time), std::chrono::duration<double>(passed).count(), 1e-9);
      before = time;
    }
    clock.advance({first}, now + 1h);
    const auto time = of(clock, first);
    EXPECT_NEAR(in(time, attribution::State::emulator) + in(time, attribution::State::other),
                std::chrono::duration<double>(added).count(), 1e-9);
  }
}

}  // namespace
}  // namespace beam_exporter::totals
