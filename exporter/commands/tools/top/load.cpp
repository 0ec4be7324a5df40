#include "commands/tools/top/load.h"

#include <algorithm>

#include "commands/tools/share_text.h"
#include "profile/label_times.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

constexpr std::size_t most_threads_told = 8;

}  // namespace

Load load_of(const profile::Profile& profile) {
  Load load;
  const double whole = seconds(profile.duration);
  if (whole <= 0) return load;
  using Thread = std::pair<std::string, int>;
  const auto threads = profile::label_times<Thread>(profile, [](const profile::Labels& labels) {
    return std::optional(Thread{labels.thread, labels.number});
  });
  for (const auto& [thread, time] : threads) {
    load.threads.push_back({thread.first, thread.second, seconds(time.cpu_time) / whole});
    load.cpus += load.threads.back().cpus;
  }
  std::ranges::stable_sort(load.threads, std::ranges::greater{}, &ThreadLoad::cpus);
  const auto states = profile::label_times<std::string>(
      profile, [](const profile::Labels& labels) { return std::optional(labels.state); });
  for (const auto& [state, time] : states) load.states.emplace_back(state, time.samples);
  std::ranges::stable_sort(load.states,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  return load;
}

std::string threads_text(const Load& load) {
  auto told = text::printed("%.2f CPUs", load.cpus);
  for (std::size_t k = 0; k < load.threads.size(); ++k) {
    if (k == most_threads_told)
      return told + ", " + std::to_string(load.threads.size() - k) + " more threads";
    const auto& thread = load.threads[k];
    told += text::printed("%s %s %d %.0f %%", k == 0 ? ":" : ",", thread.kind.c_str(),
                          thread.number, 100 * thread.cpus);
  }
  return told;
}

std::string states_text(const Load& load) {
  std::uint64_t samples = 0;
  for (const auto& [state, part] : load.states) samples += part;
  std::string told;
  for (const auto& [state, part] : load.states)
    told += text::printed("%s%s %.0f %%", told.empty() ? "states: " : ", ", state.c_str(),
                          100 * share(part, samples));
  return told;
}

}  // namespace beam_exporter::commands
