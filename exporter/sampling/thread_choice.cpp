#include "sampling/thread_choice.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "os/process/threads.h"

namespace beam_exporter::sampling {

namespace {

constexpr auto compare_interval = std::chrono::seconds(10);
// A sampled thread is replaced only when another one used much more CPU time: a change costs
// samples.
constexpr auto worth_a_change = std::chrono::milliseconds(100);

// Threads of a lower rank are sampled first.
int rank_of(beam::ThreadKind kind) {
  switch (kind) {
    case beam::ThreadKind::normal:
      return 0;
    case beam::ThreadKind::dirty_cpu:
      return 1;
    case beam::ThreadKind::poll:
    case beam::ThreadKind::aux:
      return 2;
    case beam::ThreadKind::dirty_io:
    case beam::ThreadKind::async:
      return 3;
  }
  return 3;
}

std::vector<VmThread> threads_with_a_role(const std::filesystem::path& proc_directory) {
  std::vector<VmThread> found;
  for (const auto& thread : os::threads_of(proc_directory))
    if (const auto role = beam::thread_role(thread.name)) found.push_back({thread.tid, *role});
  return found;
}

}  // namespace

struct ThreadChoice::Candidate {
  VmThread thread;
  bool watched = false;
  std::chrono::nanoseconds used{};  // CPU time since the last comparison
};

std::size_t threads_to_sample(const std::filesystem::path& proc_directory) {
  std::set<beam::ThreadRole> roles;
  for (const auto& thread : threads_with_a_role(proc_directory)) roles.insert(thread.role);
  return roles.size();
}

std::size_t Unwatched::total() const {
  return std::accumulate(threads.begin(), threads.end(), std::size_t{0});
}

// A thread that a NIF makes with pthread_create inherits the name of the scheduler that ran the
// NIF. The scheduler is the thread that had the name first.
std::vector<ThreadChoice::Candidate> ThreadChoice::candidates(
    const std::filesystem::path& proc_directory) {
  std::vector<Candidate> found;
  for (const auto& thread : threads_with_a_role(proc_directory))
    found.push_back({thread, watched_.contains(thread.tid)});
  std::stable_partition(found.begin(), found.end(),
                        [](const Candidate& one) { return one.watched; });
  std::set<beam::ThreadRole> taken;
  std::erase_if(found, [&](const Candidate& one) { return !taken.insert(one.thread.role).second; });
  return found;
}

void ThreadChoice::rank(const std::filesystem::path& proc_directory,
                        std::vector<Candidate>& candidates) {
  std::map<pid_t, std::chrono::nanoseconds> ran;
  for (Candidate& one : candidates) {
    const auto use = os::cpu_use_of(proc_directory, one.thread.tid);
    if (!use) continue;
    const auto before = ran_.find(one.thread.tid);
    one.used = use->running - (before == ran_.end() ? std::chrono::nanoseconds(0) : before->second);
    if (one.watched) one.used = 2 * one.used + worth_a_change;
    ran.emplace(one.thread.tid, use->running);
  }
  ran_ = std::move(ran);
  std::ranges::sort(candidates, {}, [](const Candidate& one) {
    const auto& role = one.thread.role;
    return std::tuple(rank_of(role.kind), -one.used, role.kind, role.number);
  });
}

// Forgets sampled threads that rank below others. The number of sampled threads stays the same.
void ThreadChoice::replace_idle(std::vector<Candidate>& ranked, const Forget& forget) {
  for (std::size_t k = watched_.size(); k < ranked.size(); ++k) {
    if (!ranked[k].watched) continue;
    forget(ranked[k].thread.tid);
    ranked[k].watched = false;
  }
  std::erase_if(watched_, [&](const auto& entry) {
    return std::ranges::none_of(
        ranked, [&](const Candidate& one) { return one.watched && one.thread.tid == entry.first; });
  });
}

os::Status ThreadChoice::refresh(const std::filesystem::path& proc_directory,
                                 std::chrono::nanoseconds now, const Watch& watch,
                                 const Forget& forget) {
  auto found = candidates(proc_directory);
  std::set<pid_t> alive;
  for (const Candidate& one : found) alive.insert(one.thread.tid);
  std::erase_if(watched_, [&](const auto& entry) {
    const bool ended = !alive.contains(entry.first);
    if (ended) forget(entry.first);
    return ended;
  });
  const bool first = compared_ == std::chrono::nanoseconds{};
  const bool crowded = !unwatched_.reason.empty();
  if (first || (crowded && now - compared_ > compare_interval)) {
    compared_ = now;
    rank(proc_directory, found);
    if (!first) replace_idle(found, forget);
  }

  unwatched_ = {};
  os::Error last_error{os::ErrorKind::gone, "the VM has no scheduler threads"};
  for (const Candidate& one : found) {
    if (one.watched) continue;
    if (unwatched_.reason.empty()) {
      const auto watching = watch(one.thread);
      if (watching) watched_.emplace(one.thread.tid, one.thread.role);
      if (watching) continue;
      last_error = watching.error();
      if (last_error.kind == os::ErrorKind::gone) continue;
      unwatched_.reason = last_error.text;
    }
    ++unwatched_.threads[static_cast<std::size_t>(one.thread.role.kind)];
  }
  if (watched_.empty()) return last_error;
  return os::Done{};
}

}  // namespace beam_exporter::sampling
