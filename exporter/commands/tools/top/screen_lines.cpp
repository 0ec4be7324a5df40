#include "commands/tools/top/screen_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "commands/tools/top/top_text.h"
#include "text/visible.h"

namespace beam_exporter::commands {

namespace {

using Lines = std::vector<ScreenLine>;

constexpr std::array<const char*, 18> help_lines = {
    "s       sort by self: with the function on top, and the C functions that it calls",
    "i       sort by inclusive: with the function anywhere on the stack",
    "b       BIFs and NIFs alone, or all functions again",
    "p       processes, each with its hottest function, or functions again",
    "t       states of microstate accounting, each with its hottest function, or functions again",
    "f       a flame graph: each box stands below its caller, as wide as its share of the samples;",
    "        yellow: Erlang, green: BIF, cyan: NIF, blue: C, magenta: kernel, white: other",
    "e       count the time of BIFs and NIFs for the Erlang functions that call them",
    "m or /  show only modules (or processes) with a text in their name; empty: all",
    "space   freeze the table, or let it go on",
    "q       quit; Ctrl-C too",
    "",
    "+-      by how many points self may be off, as 95 of 100 repetitions are",
    "state   of most of the function's samples, as msacc names it",
    "CPUs    CPU time per second, by thread; busy wait is in it",
    "",
    "Shares are of all samples of the last interval, or of those of the chosen thread.",
    "Any key leaves this page.",
};

std::string status(const TopChoice& choice) {
  const bool flame = choice.view == TopView::flame;
  std::string told = choice.view == TopView::functions ? "all functions"
                     : choice.view == TopView::called  ? "BIFs and NIFs"
                     : choice.view == TopView::states  ? "states"
                     : flame                           ? "flame graph"
                                                       : "processes";
  if (choice.view == TopView::functions || choice.view == TopView::called)
    told += choice.by_inclusive ? ", by inclusive time" : ", by self time";
  if (choice.only_erlang && choice.view != TopView::called && !flame)
    told += ", BIFs and NIFs count for their callers";
  if (!choice.filter.empty() && choice.view != TopView::states)
    told += (flame ? ", of stacks with '" : ", with '") + text::visible(choice.filter) +
            (flame ? "' in a module's name" : "' in the name");
  return told;
}

std::string prompt(const TopScreenState& state) {
  if (state.typed) return "part of the name: " + text::visible(*state.typed) + "_";
  return "q quit  ? help  s self  i inclusive  b BIFs+NIFs  p processes  t states  f flame  m "
         "filter  "
         "space freeze";
}

void add_table(const TopChoice& choice, const profile::Profile& profile, std::size_t rows,
               Lines& lines) {
  const auto told = top_text(profile, choice, rows);
  lines.push_back({told.titles, LineStyle::reverse});
  for (const auto& row : told.rows) lines.push_back({row});
}

// The line of what is not shown stands above, where a table has its titles.
void add_flame(const TopChoice& choice, const profile::Profile& profile, ScreenSize space,
               Lines& lines) {
  const auto root = top_flame(profile, choice);
  auto flame = flame_lines(root, space.columns, space.rows - std::min<std::size_t>(space.rows, 1));
  lines.push_back({left_out_text(flame, root.samples), LineStyle::reverse});
  for (auto& level : flame.levels)
    lines.push_back({std::move(level.text), LineStyle::plain, std::move(level.boxes)});
}

// `space`: without the last line.
void add_profile(const TopScreenState& state, const profile::Profile* profile, ScreenSize space,
                 Lines& lines) {
  if (profile == nullptr) {
    lines.push_back({"recording the first interval ..."});
    return;
  }
  for (const auto& line : top_head(*profile, state.choice)) lines.push_back({line});
  lines.front().style = LineStyle::bold;
  lines.push_back({(state.frozen ? "FROZEN: " : "") + status(state.choice)});
  space.rows -= std::min(space.rows, lines.size());
  if (state.choice.view == TopView::flame)
    add_flame(state.choice, *profile, space, lines);
  else
    add_table(state.choice, *profile, space.rows, lines);
}

}  // namespace

std::vector<ScreenLine> screen_lines(const TopScreenState& state, const profile::Profile* profile,
                                     ScreenSize size) {
  Lines lines;
  if (size.rows == 0) return lines;
  if (state.help)
    for (const char* line : help_lines) lines.push_back({line});
  else
    add_profile(state, profile, {size.rows - 1, size.columns}, lines);
  lines.resize(size.rows - 1);
  lines.push_back({prompt(state), LineStyle::bold});
  return lines;
}

}  // namespace beam_exporter::commands
