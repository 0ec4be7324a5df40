#include "profile/formats/flame_svg.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profile/formats/flame_picture.h"
#include "profile/formats/flame_tree.h"
#include "text/printed.h"

namespace beam_exporter::profile {

namespace {

using text::printed;

// Warm for Erlang, a hue for each module; cold for C; purple for the kernel.
std::string colour(const FlameNode& node) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char character : node.module)
    hash = (hash ^ static_cast<unsigned char>(character)) * 16777619u;
  switch (node.kind) {
    case FunctionKind::erlang:
      return printed("hsl(%u 78%% 66%%)", 8 + hash % 48);
    case FunctionKind::bif:
      return "hsl(88 50% 62%)";
    case FunctionKind::nif:
      return "hsl(145 45% 60%)";
    case FunctionKind::native:
      return "hsl(205 45% 70%)";
    case FunctionKind::kernel:
      return "hsl(280 45% 76%)";
    case FunctionKind::other:
      break;
  }
  return "hsl(0 0% 78%)";
}

using States = std::map<std::string, std::chrono::nanoseconds>;

// "emulator 81 %, gc 19 %", the largest first; what rounds to nothing is left out.
std::string split_text(const States& states, double time) {
  std::vector<std::pair<double, std::string>> shares;
  for (const auto& [state, part] : states)
    shares.emplace_back(100 * static_cast<double>(part.count()) / time, state);
  std::ranges::stable_sort(
      shares, [](const auto& one, const auto& other) { return one.first > other.first; });
  std::string told;
  for (const auto& [percent, state] : shares)
    if (percent >= 0.5)
      told += printed("%s%s %.0f %%", told.empty() ? "; " : ", ", state.c_str(), percent);
  return told;
}

// `below`: the states of the box that this one stands on; those of this one are added.
FlameBox box_of(const FlameNode& node, double whole, States& below) {
  const auto time = static_cast<double>(node.cpu_time.count());
  FlameBox box{.width = whole > 0 ? time / whole : 0, .colour = colour(node)};
  box.kind = function_kind_names[static_cast<std::size_t>(node.kind)];
  box.application = node.application;
  box.own = node.self_states;
  States states;
  for (const auto& [state, part] : node.self_states) states[state] += part.cpu_time;
  for (const auto& [text, child] : node.children)
    box.children.emplace(text, box_of(child, whole, states));
  box.told = printed("%.2f %%, %.3f s of CPU time, %llu samples", 100 * box.width, time / 1e9,
                     static_cast<unsigned long long>(node.samples));
  if (time > 0) box.told += split_text(states, time);
  for (const auto& [state, part] : states) below[state] += part;
  return box;
}

}  // namespace

std::string flame_svg(const Profile& profile) {
  const FlameNode root = flame_tree(profile);
  States states;
  const auto samples = profile.samples();
  std::string title =
      profile.target + printed(": %llu samples in %.1f s", static_cast<unsigned long long>(samples),
                               static_cast<double>(profile.duration.count()) / 1e9);
  if (profile.lost > 0)
    title += printed(", %llu lost", static_cast<unsigned long long>(profile.lost));
  return flame_picture(box_of(root, static_cast<double>(root.cpu_time.count()), states), title,
                       printed("a share of 10 %% may be off by %.1f points",
                               100 * share_error(samples / 10, samples)));
}

}  // namespace beam_exporter::profile
