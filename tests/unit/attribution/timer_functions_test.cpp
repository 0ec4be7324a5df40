#include "attribution/timer_functions.h"

#include <gmock/gmock.h>

#include "own_file.h"

// Functions that lie together and call each other as those of beam/time.c, and who calls them.

extern "C" {
[[gnu::noinline, gnu::section(".text.timers")]] int time_next(int value) {
  asm volatile("" : "+r"(value));
  return value + 1;
}
[[gnu::noinline, gnu::section(".text.timers")]] int time_bump(int value) {
  asm volatile(".fill 256, 1, 0x90" : "+r"(value));
  return value + 2;
}
[[gnu::noinline, gnu::section(".text.timers")]] int time_memory(int value) {
  asm volatile("" : "+r"(value));
  return value + 3;
}
[[gnu::noinline, gnu::section(".text.timers")]] int time_init(int value) {
  asm volatile("" : "+r"(value) : "r"("timer resolution mismatch %d != %d") : "memory");
  return value + 4;
}
[[gnu::noinline, gnu::section(".text.timers")]] int time_set(int value) {
  asm volatile("" : "+r"(value));
  return value + 5;
}
[[gnu::noinline, gnu::section(".text.timers")]] int time_cancel(int value) {
  asm volatile("" : "+r"(value));
  return value + 6;
}

[[gnu::noinline]] int timer_correction(int value) {
  asm volatile("" : "+r"(value) : "r"("check_os_monotonic_time") : "memory");
  return time_set(value) + 7;
}
[[gnu::noinline]] int take_timer_out(int value) { return time_cancel(value) + time_set(value); }
[[gnu::noinline]] int timer_of_port(int value) { return take_timer_out(value) + 8; }
[[gnu::noinline]] int driver_cancel_timer(int value) { return timer_of_port(value) + 9; }
[[gnu::noinline]] int timer_waits(int value) { return time_next(value) + time_bump(value); }
[[gnu::noinline]] int timer_schedule(int value) { return time_bump(value) + timer_waits(value); }
[[gnu::noinline]] int timer_inlined(int value) { return time_bump(value) + time_next(value) * 2; }
[[gnu::noinline]] int timer_statistics(int value) { return time_memory(value) + 10; }
}

namespace beam_exporter::attribution {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class TimerFunctions : public OwnFile {
 protected:
  auto scheduled_by(std::string_view function) const {
    const FunctionSearch known(calls_, symbols_, &texts_, {{place(function), "erts_schedule"}});
    return timer_functions(calls_, symbols_, texts_, known);
  }
  auto all() const {
    return UnorderedElementsAre(Pair(place("time_set"), "erts_twheel_set_timer"),
                                Pair(place("time_cancel"), "erts_twheel_cancel_timer"),
                                Pair(place("time_bump"), "erts_bump_timers"),
                                Pair(place("time_next"), "erts_check_next_timeout_time"));
  }

  elf::TextUses texts_{image_, symbols_};
};

TEST_F(TimerFunctions, are_known_by_a_text_beside_them_and_by_their_callers) {
  EXPECT_THAT(scheduled_by("timer_schedule"), all());
}

TEST_F(TimerFunctions, are_known_where_the_scheduler_calls_both_that_look_for_expired_timers) {
  EXPECT_THAT(scheduled_by("timer_inlined"), all());
}

TEST_F(TimerFunctions, are_all_unknown_where_one_is) {
  EXPECT_THAT(scheduled_by("timer_of_port"), IsEmpty()) << "calls none of them";
  const FunctionSearch nothing(calls_, symbols_, &texts_);
  EXPECT_THAT(timer_functions(calls_, symbols_, texts_, nothing), IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::attribution
