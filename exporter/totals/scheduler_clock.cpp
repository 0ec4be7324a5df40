#include "totals/scheduler_clock.h"

#include <algorithm>
#include <numeric>

namespace beam_exporter::totals {

namespace {

constexpr auto index(attribution::State state) { return static_cast<std::size_t>(state); }

double seconds(SchedulerClock::Time time) { return std::chrono::duration<double>(time).count(); }

bool is_idle(std::size_t state) {
  return state == index(attribution::State::sleep) || state == index(attribution::State::busy_wait);
}

// Adds time to the states of work that were sampled, in proportion. When none was, adds it to
// `likely`.
void stretch_work(std::array<double, attribution::state_names.size()>& fresh, double by,
                  attribution::State likely) {
  double seen = 0;
  for (std::size_t state = 0; state < fresh.size(); ++state)
    if (!is_idle(state)) seen += fresh[state];
  if (seen <= 0) fresh[index(likely)] += by;
  if (seen <= 0) return;
  for (std::size_t state = 0; state < fresh.size(); ++state)
    if (!is_idle(state)) fresh[state] += by * fresh[state] / seen;
}

// Assumes that the lost samples had the same states as the others.
void add_lost(std::array<double, attribution::state_names.size()>& fresh, double lost) {
  const double seen = std::accumulate(fresh.begin(), fresh.end(), 0.0);
  if (seen > 0)
    for (double& time : fresh) time *= 1 + lost / seen;
}

// The source never samples spinning that was too short, so the samples of the other states stand
// for that time too. Moves it from them to busy_wait. Returns how much was moved.
double to_spinning(std::array<double, attribution::state_names.size()>& fresh, double spun) {
  const double seen = std::accumulate(fresh.begin(), fresh.end(), 0.0);
  const double moved = std::min(spun, seen);
  if (moved <= 0) return 0;
  for (double& time : fresh) time *= 1 - moved / seen;
  fresh[index(attribution::State::busy_wait)] += moved;
  return moved;
}

// Waiting for a CPU after a wake-up still counts as sleep; only waiting after a preemption
// stretches work. The kernel counts how often a thread began to wait in either way, but not for how
// long.
double guessed_stretch(const os::CpuUse& before, const os::CpuUse& now) {
  const double ran = seconds(now.running - before.running);
  const double waited = seconds(now.waiting - before.waiting);
  const auto yielded = static_cast<double>(now.yielded - before.yielded);
  const auto preempted = static_cast<double>(now.preempted - before.preempted);
  if (ran <= 0 || waited <= 0 || preempted <= 0) return 1;
  return 1 + waited / ran * preempted / (preempted + yielded);
}

}  // namespace

// Whether this state can be recognized on a thread of this kind.
bool SchedulerClock::tellable(beam::ThreadKind kind, attribution::State state) const {
  if (state == attribution::State::other || state == attribution::State::sleep) return true;
  if (!told_[index(state)]) return false;
  switch (kind) {
    case beam::ThreadKind::normal:
      return true;
    case beam::ThreadKind::dirty_cpu:
    case beam::ThreadKind::dirty_io:
      return state != attribution::State::aux && state != attribution::State::timers &&
             state != attribution::State::check_io && state != attribution::State::port;
    case beam::ThreadKind::aux:
      return state == attribution::State::aux || state == attribution::State::alloc ||
             state == attribution::State::check_io;
    case beam::ThreadKind::poll:
      return state == attribution::State::check_io || state == attribution::State::alloc;
    case beam::ThreadKind::async:
      return false;
  }
  return false;
}

attribution::State SchedulerClock::told_as(beam::ThreadKind kind, attribution::State state) const {
  if (state == attribution::State::gc_full && !tellable(kind, state))
    state = attribution::State::gc;
  return tellable(kind, state) ? state : attribution::State::other;
}

void SchedulerClock::add(beam::ThreadRole role, attribution::State state, Time cpu_time) {
  state = told_as(role.kind, state);
  Thread& thread = threads_[role];
  thread.fresh[index(state)] += seconds(cpu_time);
  if (!is_idle(index(state))) thread.last_work = state;
}

void SchedulerClock::advance(const std::vector<beam::ThreadRole>& present, Time now,
                             const CpuUse& cpu_use) {
  for (const auto& role : present) {
    Thread& thread = threads_[role];
    const auto used = cpu_use.find(role);
    take_fresh(role.kind, thread, used == cpu_use.end() ? Use{} : used->second);
    if (!thread.running) {
      thread.running = true;
      thread.last = now;
      continue;
    }
    const double wall = std::max(0.0, seconds(now - thread.last));
    thread.last = std::max(thread.last, now);
    lay(thread, wall);
  }
  for (auto& [role, thread] : threads_)
    if (!std::ranges::count(present, role)) {
      thread.running = false;
      thread.use = {};
      thread.spun = 0;
    }
}

void SchedulerClock::take_fresh(beam::ThreadKind kind, Thread& thread, const Use& use) {
  Seconds& fresh = thread.fresh;
  if (use.off_cpu && thread.use.off_cpu) {
    const auto& now = *use.off_cpu;
    add_lost(fresh, seconds(now.lost - thread.use.off_cpu->lost));
    thread.spun += seconds(now.spun - thread.use.off_cpu->spun);
    thread.spun -= to_spinning(fresh, thread.spun);
    // The source may correct what it said of a wait that had not ended yet. Time already taken is
    // never taken back.
    const auto grown = [](Time value, Time& seen) {
      const Time more = std::max(value - seen, Time(0));
      seen += more;
      return seconds(more);
    };
    stretch_work(fresh, grown(now.working, thread.seen.working), thread.last_work);
    fresh[index(told_as(kind, attribution::State::port))] +=
        grown(now.in_port, thread.seen.in_port);
    fresh[index(told_as(kind, attribution::State::nif))] += grown(now.in_nif, thread.seen.in_nif);
    fresh[index(attribution::State::busy_wait)] += grown(now.spinning, thread.seen.spinning);
  } else if (!use.off_cpu && use.counted && thread.use.counted) {
    const double by = guessed_stretch(*thread.use.counted, *use.counted);
    for (double& time : fresh) time *= by;
  }
  const bool had_off_cpu = thread.use.off_cpu.has_value();
  thread.use = use;
  if (use.off_cpu && !had_off_cpu) thread.seen = *use.off_cpu;
  for (std::size_t state = 0; state < fresh.size(); ++state) thread.pending[state] += fresh[state];
  fresh.fill(0);
}

void SchedulerClock::lay(Thread& thread, double wall) {
  const double busy = std::accumulate(thread.pending.begin(), thread.pending.end(), 0.0);
  const double share = busy > wall ? wall / busy : 1;
  const auto idle = [&] {
    return thread.total[index(attribution::State::sleep)] +
           thread.total[index(attribution::State::busy_wait)];
  };
  const double idle_before = idle();
  double left = wall;
  for (std::size_t state = 0; state < thread.pending.size(); ++state) {
    // At most what is left: otherwise rounding could make sleep shrink.
    const double laid = std::min(left, thread.pending[state] * share);
    thread.total[state] += laid;
    thread.pending[state] -= laid;
    left -= laid;
  }
  thread.total[index(attribution::State::sleep)] += left;
  if (wall <= 0) return;
  thread.last_wall = wall;
  thread.last_idle = idle() - idle_before;
}

void SchedulerClock::pause() {
  for (auto& [role, thread] : threads_) {
    thread.running = false;
    thread.fresh.fill(0);
    thread.pending.fill(0);
    thread.use = {};
    thread.spun = 0;
    thread.last_wall = 0;
  }
}

std::vector<SchedulerTime> SchedulerClock::times() const {
  std::vector<SchedulerTime> times;
  for (const auto& [role, thread] : threads_) {
    SchedulerTime time{.kind = role.kind, .number = role.number, .seconds = thread.total};
    for (std::size_t state = 0; state < time.known.size(); ++state)
      // A former VM may have had a state that cannot be recognized in this one.
      time.known[state] =
          tellable(role.kind, static_cast<attribution::State>(state)) || thread.total[state] > 0;
    if (thread.running && thread.last_wall > 0)
      time.utilization = std::clamp(1 - thread.last_idle / thread.last_wall, 0.0, 1.0);
    times.push_back(time);
  }
  return times;
}

}  // namespace beam_exporter::totals
