#include "commands/tools/top/top_text.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "commands/tools/share_text.h"
#include "commands/tools/top/flame_lines.h"
#include "commands/tools/top/load.h"
#include "text/printed.h"
#include "text/visible.h"

namespace beam_exporter::commands {

namespace {

using text::printed;

constexpr std::size_t name_width = 30;

std::string padded(std::string name) {
  name.resize(std::max(name.size(), name_width), ' ');
  return name;
}

std::string clock_time(std::chrono::system_clock::time_point when) {
  const std::time_t time = std::chrono::system_clock::to_time_t(when);
  std::tm local{};
  localtime_r(&time, &local);
  return printed("%02d:%02d:%02d ", local.tm_hour, local.tm_min, local.tm_sec);
}

std::string row_text(const TopRow& row, std::uint64_t samples, TopView view) {
  auto told = percent_text(row.self, samples) + error_text(row.self, samples) + "  ";
  if (view == TopView::processes)
    return told + printed("%-9s  ", row.state.c_str()) + padded(row.name) + "  " + row.function;
  if (view == TopView::states) return told + printed("%-9s  ", row.name.c_str()) + row.function;
  told += percent_text(row.inclusive, samples);
  told += printed("  %-6.*s  %-9s  ", static_cast<int>(row.kind.size()), row.kind.data(),
                  row.state.c_str());
  return told + row.name;
}

}  // namespace

std::vector<std::string> top_head(const profile::Profile& profile, const TopChoice& choice) {
  const auto load = load_of(profile);
  const auto end = std::chrono::time_point_cast<std::chrono::system_clock::duration>(
      profile.begin + profile.duration);
  std::vector<std::string> head{clock_time(end) + text::visible(summary(profile))};
  if (profile.samples() > 0) {
    head.push_back(threads_text(load));
    head.push_back(states_text(load));
  }
  if (choice.thread)
    head.push_back(printed("%llu of the samples are of the thread %s %u; shares are of these",
                           static_cast<unsigned long long>(samples_of(profile, choice)),
                           std::string(name_of(choice.thread->kind)).c_str(),
                           choice.thread->number));
  return head;
}

TopText top_text(const profile::Profile& profile, const TopChoice& choice, std::size_t most_rows) {
  TopText told{.head = top_head(profile, choice)};
  if (choice.view == TopView::flame) {
    const auto root = top_flame(profile, choice);
    const auto lines = flame_lines(root, flame_columns, most_rows);
    const auto left_out = left_out_text(lines, root.samples);
    told.titles = "each box stands below its caller" + (left_out.empty() ? "" : "; " + left_out);
    for (const auto& level : lines.levels) told.rows.push_back(level.text);
    return told;
  }
  const auto shown = top_rows(profile, choice, most_rows);
  told.titles = choice.view == TopView::processes
                    ? "    self  +-     state      process                         function"
                : choice.view == TopView::states
                    ? "    self  +-     state      function"
                    : "    self  +-       incl  kind    state      function";
  for (const auto& row : shown.rows)
    told.rows.push_back(text::visible(row_text(row, shown.samples, choice.view)));
  return told;
}

}  // namespace beam_exporter::commands
