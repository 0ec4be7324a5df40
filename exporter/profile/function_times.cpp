#include "profile/function_times.h"

#include <algorithm>
#include <map>
#include <ranges>

namespace beam_exporter::profile {

namespace {

using StateSamples = std::map<std::string_view, std::uint64_t>;

std::string largest(const StateSamples& states) {
  const auto most = std::ranges::max_element(
      states, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == states.end() ? "" : std::string(most->first);
}

bool is_called(FunctionKind kind) { return kind == FunctionKind::bif || kind == FunctionKind::nif; }

// The functions of a stack that have a time of their own, each once, the innermost first.
class TimedFunctions {
 public:
  TimedFunctions(const Profile& profile, bool only_erlang)
      : profile_(profile), only_erlang_(only_erlang) {}

  const std::vector<Index>& of(const std::vector<Index>& stack) {
    timed_.clear();
    const Function* called = nullptr;  // the BIF or NIF of the frame above
    for (const Index frame : stack) {
      const Index index = profile_.frames[frame].function;
      const Function& function = profile_.functions[index];
      if (function.kind == FunctionKind::native) continue;
      const bool stub = called != nullptr && is_stub(function, *called);
      called = is_called(function.kind) ? &function : nullptr;
      const bool beyond = called != nullptr || function.kind == FunctionKind::kernel;
      if (stub || (only_erlang_ && beyond)) continue;
      if (std::ranges::find(timed_, index) == timed_.end()) timed_.push_back(index);
    }
    return timed_;
  }

 private:
  // A BIF that is called by its name has a few instructions of its own, and a frame like that of an
  // Erlang function.
  static bool is_stub(const Function& function, const Function& called) {
    return function.module == called.module && function.name == called.name;
  }

  const Profile& profile_;
  bool only_erlang_;
  std::vector<Index> timed_;
};

}  // namespace

std::vector<FunctionTime> function_times(const Profile& profile, const TimesOf& of) {
  std::map<Index, FunctionTime> times;
  std::map<Index, StateSamples> states;
  TimedFunctions timed(profile, of.only_erlang);
  for (const Entry& entry : profile.entries) {
    const Labels& labels = profile.labels[entry.labels];
    if (of.wanted && !of.wanted(labels)) continue;
    const auto& functions = timed.of(profile.stacks[entry.stack]);
    for (const Index function : functions) times[function].inclusive += entry.samples;
    if (functions.empty()) continue;
    times[functions.front()].self += entry.samples;
    states[functions.front()][labels.state] += entry.samples;
  }
  std::vector<FunctionTime> sorted;
  for (auto& [function, time] : times) {
    time.function = profile.functions[function];
    time.state = largest(states[function]);
    sorted.push_back(std::move(time));
  }
  std::ranges::stable_sort(sorted, [](const FunctionTime& a, const FunctionTime& b) {
    return a.self != b.self ? a.self > b.self : a.inclusive > b.inclusive;
  });
  return sorted;
}

}  // namespace beam_exporter::profile
