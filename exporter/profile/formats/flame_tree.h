#pragma once

#include <functional>
#include <map>
#include <string>

#include "profile/profile.h"

namespace beam_exporter::profile {

struct FlameTime {
  std::uint64_t samples = 0;
  std::chrono::nanoseconds cpu_time{};
};

// The stacks of a profile, merged from the bottom up: what every flame graph draws. Frames that
// differ only in their line are one node. Children are sorted by their text, so that two profiles
// of the same program look alike.
struct FlameNode {
  FunctionKind kind = FunctionKind::other;
  std::string module, application;  // application_of()
  std::uint64_t samples = 0, self_samples = 0;
  std::chrono::nanoseconds cpu_time{}, self_cpu_time{};
  std::map<std::string, FlameTime> self_states;  // what is its own, by Labels::state
  std::map<std::string, FlameNode> children;     // by Function::text()
};

// `wanted`: which entries to take; all when empty.
FlameNode flame_tree(const Profile& profile, const std::function<bool(const Entry&)>& wanted = {});

// "proc_lib:init_p/3;lists:sort/1;[signals] 12\n" for each stack, the format of Brendan Gregg's
// flamegraph.pl, speedscope and many others. Counts samples.
std::string folded(const Profile& profile);

}  // namespace beam_exporter::profile
