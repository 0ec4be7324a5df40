#include "profile/difference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "profile/function_times.h"
#include "profile/sample_rate.h"

namespace beam_exporter::profile {

std::vector<FunctionChange> difference(const Profile& before, const Profile& after) {
  struct Both {
    FunctionTime before, after;
  };
  std::map<std::string, Both> functions;  // by text: the two profiles number them differently
  for (auto& time : function_times(before)) functions[time.function.text()].before = time;
  for (auto& time : function_times(after)) functions[time.function.text()].after = time;
  const SampleRate rate_before(before), rate_after(after);
  std::vector<FunctionChange> changes;
  changes.reserve(functions.size());
  for (const auto& [text, both] : functions) {
    const bool known_before = both.before.inclusive > 0;
    changes.push_back({.function = known_before ? both.before.function : both.after.function,
                       .self_before = rate_before.of(both.before.self),
                       .self_after = rate_after.of(both.after.self),
                       .inclusive_before = rate_before.of(both.before.inclusive),
                       .inclusive_after = rate_after.of(both.after.inclusive),
                       .error = std::hypot(rate_before.error(both.before.self),
                                           rate_after.error(both.after.self))});
  }
  std::ranges::stable_sort(changes, [](const FunctionChange& a, const FunctionChange& b) {
    return std::abs(a.self_after - a.self_before) > std::abs(b.self_after - b.self_before);
  });
  return changes;
}

}  // namespace beam_exporter::profile
