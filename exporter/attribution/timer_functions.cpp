#include "attribution/timer_functions.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace beam_exporter::attribution {

namespace {

// Files are below erts/emulator, OTP 28.4 and 29.1.1. beam/time.c: erts_init_time.
constexpr std::string_view in_time = "timer resolution mismatch %d != %d";
// beam/erl_time_sup.c: check_time_correction and those that it is inlined into. They set timers.
constexpr std::string_view in_corrections = "check_os_monotonic_time";

// time.c has some twelve functions.
constexpr std::ptrdiff_t most_between = 8;
// driver_cancel_timer, erts_cancel_port_timer (beam/erl_hl_timer.c), cancel_tw_timer or
// hlt_delete_timer, and then erts_twheel_cancel_timer: three calls, up to five where a compiler has
// moved parts of these functions out of them.
constexpr int most_steps = 5;

using Places = std::set<std::uint64_t>;

Places called_by_any(const elf::DirectCalls& calls, const Places& callers) {
  Places called;
  for (const auto caller : callers) called.merge(calls.called_by(caller));
  return called;
}

Places both(const Places& left, const Places& right) {
  Places out;
  std::ranges::set_intersection(left, right, std::inserter(out, out.end()));
  return out;
}

Places beside(const elf::NativeSymbols& symbols, std::uint64_t place) {
  const auto functions = symbols.functions();
  const auto at = std::ranges::lower_bound(
      functions, place, {}, [](const elf::NativeFunction& each) { return each.range.begin; });
  const auto before = std::min(at - functions.begin(), most_between),
             behind = std::min(functions.end() - at, most_between + 1);
  Places out;
  for (auto each = at - before; each != at + behind; ++each)
    if (each->range.begin != place) out.insert(each->range.begin);
  return out;
}

Places reached(const elf::DirectCalls& calls, std::uint64_t from, const Places& wanted) {
  Places found, now = {from};
  for (int step = 0; step < most_steps; ++step) {
    now = called_by_any(calls, now);
    const Places here = both(now, wanted);
    found.insert(here.begin(), here.end());
  }
  return found;
}

}  // namespace

FunctionSearch::Names timer_functions(const elf::DirectCalls& calls,
                                      const elf::NativeSymbols& symbols, const elf::TextUses& texts,
                                      const FunctionSearch& known) {
  const auto schedule = known.place_of("erts_schedule"),
             cancels = known.place_of("driver_cancel_timer");
  const auto init = texts.functions_with(in_time);
  if (!schedule || !cancels || init.size() != 1) return {};
  const Places file = beside(symbols, *init.begin());

  const Places set = both(file, called_by_any(calls, texts.functions_with(in_corrections)));
  // What cancels a timer may set one too, for the next of those that wait (hlt_delete_timer).
  Places cancel = reached(calls, *cancels, file);
  if (set.size() == 1) cancel.erase(*set.begin());
  if (set.size() != 1 || cancel.size() != 1) return {};

  // erts_check_next_timeout_time is called where erts_bump_timers is, and nowhere else; of
  // erts_schedule only where the compiler has inlined scheduler_wait. It has 50 bytes, the other
  // one thousands.
  const Places bumps = both(file, calls.called_by(*schedule));
  if (bumps.empty() || bumps.size() > 2) return {};
  const auto bump = *std::ranges::max_element(
      bumps, {}, [&](std::uint64_t place) { return symbols.beginning_at(place)->range.size(); });
  const Places waiters = calls.callers_of(bump);
  Places next;
  for (const auto place : file) {
    const Places callers = calls.callers_of(place);
    if (place != bump && !callers.empty() && std::ranges::includes(waiters, callers))
      next.insert(place);
  }
  if (next.size() != 1) return {};
  return {{*set.begin(), "erts_twheel_set_timer"},
          {*cancel.begin(), "erts_twheel_cancel_timer"},
          {bump, "erts_bump_timers"},
          {*next.begin(), "erts_check_next_timeout_time"}};
}

}  // namespace beam_exporter::attribution
