#include "commands/tools/top/view.h"

#include <algorithm>
#include <utility>

#include "profile/function_times.h"
#include "profile/label_times.h"

namespace beam_exporter::commands {

namespace {

using profile::FunctionKind;
using profile::Labels;

constexpr std::string_view no_process = "[no process]";

std::string_view process_of(const Labels& labels) {
  return labels.process.empty() ? no_process : std::string_view(labels.process);
}

bool is_wanted(const Labels& labels, const std::optional<beam::ThreadRole>& thread) {
  return !thread ||
         (labels.thread == name_of(thread->kind) && std::cmp_equal(labels.number, thread->number));
}

bool passes(std::string_view text, const TopChoice& choice) {
  return text.find(choice.filter) != std::string_view::npos;
}

// What is neither BIF nor NIF has no row in the view of these.
bool is_shown(const profile::FunctionTime& time, const TopChoice& choice) {
  const auto kind = time.function.kind;
  const bool called = kind == FunctionKind::bif || kind == FunctionKind::nif;
  return passes(time.function.module, choice) && (choice.view == TopView::functions || called);
}

std::vector<TopRow> functions(const profile::Profile& profile, const TopChoice& choice,
                              std::size_t most) {
  const bool only_erlang = choice.only_erlang && choice.view == TopView::functions;
  auto times = profile::function_times(
      profile, {.wanted = [&](const Labels& labels) { return is_wanted(labels, choice.thread); },
                .only_erlang = only_erlang});
  if (choice.by_inclusive)
    std::ranges::stable_sort(times, std::ranges::greater{}, &profile::FunctionTime::inclusive);
  std::vector<TopRow> rows;
  for (const auto& time : times) {
    if (rows.size() == most) break;
    if (!is_shown(time, choice)) continue;
    rows.push_back(
        {.name = time.function.text(),
         .self = time.self,
         .inclusive = time.inclusive,
         .kind = profile::function_kind_names[static_cast<std::size_t>(time.function.kind)],
         .state = time.state});
  }
  return rows;
}

// What a row of this view is of.
std::string_view group_of(const Labels& labels, TopView view) {
  return view == TopView::states ? std::string_view(labels.state) : process_of(labels);
}

// Walks over the profile for each row that is shown.
void tell_function_and_state(const profile::Profile& profile, const TopChoice& choice,
                             TopRow& row) {
  const auto wanted = [&](const Labels& labels) {
    return group_of(labels, choice.view) == row.name && is_wanted(labels, choice.thread);
  };
  const auto times =
      profile::function_times(profile, {.wanted = wanted, .only_erlang = choice.only_erlang});
  if (!times.empty()) row.function = times.front().function.text();
  const auto states = profile::label_times<std::string>(profile, [&](const Labels& labels) {
    return wanted(labels) ? std::optional(labels.state) : std::nullopt;
  });
  std::uint64_t most = 0;
  for (const auto& [state, time] : states)
    if (time.samples > most) {
      most = time.samples;
      row.state = state;
    }
}

std::vector<TopRow> groups(const profile::Profile& profile, const TopChoice& choice,
                           std::size_t most) {
  const auto times = profile::label_times<std::string>(profile, [&](const Labels& labels) {
    return is_wanted(labels, choice.thread)
               ? std::optional(std::string(group_of(labels, choice.view)))
               : std::nullopt;
  });
  std::vector<TopRow> rows;
  for (const auto& [group, time] : times)
    if (choice.view == TopView::states || passes(group, choice))
      rows.push_back({.name = group, .self = time.samples, .inclusive = time.samples});
  std::ranges::stable_sort(rows, std::ranges::greater{}, &TopRow::self);
  if (rows.size() > most) rows.resize(most);
  for (auto& row : rows) tell_function_and_state(profile, choice, row);
  return rows;
}

}  // namespace

std::uint64_t samples_of(const profile::Profile& profile, const TopChoice& choice) {
  std::uint64_t samples = 0;
  for (const auto& entry : profile.entries)
    if (is_wanted(profile.labels[entry.labels], choice.thread)) samples += entry.samples;
  return samples;
}

profile::FlameNode top_flame(const profile::Profile& profile, const TopChoice& choice) {
  const auto of_filter = [&](profile::Index frame) {
    return passes(profile.function_of(frame).module, choice);
  };
  return profile::flame_tree(profile, [&](const profile::Entry& entry) {
    return is_wanted(profile.labels[entry.labels], choice.thread) &&
           (choice.filter.empty() || std::ranges::any_of(profile.stacks[entry.stack], of_filter));
  });
}

TopRows top_rows(const profile::Profile& profile, const TopChoice& choice, std::size_t most) {
  TopRows shown{.samples = samples_of(profile, choice)};
  const bool grouped = choice.view == TopView::processes || choice.view == TopView::states;
  shown.rows = grouped ? groups(profile, choice, most) : functions(profile, choice, most);
  return shown;
}

}  // namespace beam_exporter::commands
