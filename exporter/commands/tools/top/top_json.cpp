#include "commands/tools/top/top_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "commands/tools/share_text.h"
#include "commands/tools/top/load.h"

namespace beam_exporter::commands {

namespace {

using Json = nlohmann::ordered_json;

Json row_json(const TopRow& row, std::uint64_t samples, TopView view) {
  const auto self = share(row.self, samples);
  const auto error = profile::share_error(row.self, samples);
  if (view == TopView::processes)
    return {{"process", row.name},
            {"self", self},
            {"self_error", error},
            {"state", row.state},
            {"function", row.function}};
  if (view == TopView::states)
    return {{"state", row.name}, {"self", self}, {"self_error", error}, {"function", row.function}};
  return {{"function", row.name}, {"kind", row.kind},
          {"state", row.state},   {"self", self},
          {"self_error", error},  {"inclusive", share(row.inclusive, samples)}};
}

// The stacks with most samples, each once, as the view `flame` has them.
void add_stacks(const profile::FlameNode& node, std::vector<std::string>& path,
                std::vector<std::pair<std::uint64_t, Json>>& stacks) {
  if (node.self_samples > 0) stacks.emplace_back(node.self_samples, path);
  for (const auto& [text, child] : node.children) {
    path.push_back(text);
    add_stacks(child, path, stacks);
    path.pop_back();
  }
}

Json stacks_json(const profile::Profile& profile, const TopChoice& choice, std::size_t most) {
  const auto root = top_flame(profile, choice);
  std::vector<std::pair<std::uint64_t, Json>> stacks;
  std::vector<std::string> path;
  add_stacks(root, path, stacks);
  std::ranges::stable_sort(
      stacks, [](const auto& one, const auto& other) { return one.first > other.first; });
  if (stacks.size() > most) stacks.resize(most);
  auto told = Json::array();
  for (const auto& [samples, functions] : stacks)
    told.push_back({{"stack", functions},
                    {"self", share(samples, root.samples)},
                    {"self_error", profile::share_error(samples, root.samples)}});
  return told;
}

}  // namespace

std::string top_json(const profile::Profile& profile, const TopChoice& choice,
                     std::size_t most_rows) {
  const auto load = load_of(profile);
  const std::chrono::duration<double> begin = profile.begin.time_since_epoch();
  Json json = {{"target", profile.target},
               {"begin", begin.count()},
               {"duration_seconds", seconds(profile.duration)},
               {"samples", profile.samples()},
               {"samples_lost", profile.lost},
               {"cpus", load.cpus},
               {"threads", Json::array()},
               {"states", Json::object()}};
  for (const auto& thread : load.threads)
    json["threads"].push_back(
        {{"kind", thread.kind}, {"number", thread.number}, {"cpus", thread.cpus}});
  for (const auto& [state, samples] : load.states)
    json["states"][state] = share(samples, profile.samples());
  json["samples_shown"] = samples_of(profile, choice);
  if (choice.view == TopView::flame) {
    json["stacks"] = stacks_json(profile, choice, most_rows);
  } else {
    const auto shown = top_rows(profile, choice, most_rows);
    auto& rows = json[choice.view == TopView::processes ? "processes"
                      : choice.view == TopView::states  ? "by_state"
                                                        : "functions"] = Json::array();
    for (const auto& row : shown.rows) rows.push_back(row_json(row, shown.samples, choice.view));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace beam_exporter::commands
