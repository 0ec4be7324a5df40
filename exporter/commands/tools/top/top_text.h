#pragma once

#include <string>
#include <vector>

#include "commands/tools/top/view.h"

// What `top` shows as lines of text, for a file as for a screen. Nothing in them steers a terminal.
// Pure.
namespace beam_exporter::commands {

struct TopText {
  std::vector<std::string> head;  // the VM, its samples, how busy it was
  std::string titles;             // of the columns; of a flame graph what is not shown
  std::vector<std::string> rows;  // at most as many as asked for
};

// Columns of a flame graph where no terminal says how wide it is.
inline constexpr std::size_t flame_columns = 120;

TopText top_text(const profile::Profile& profile, const TopChoice& choice, std::size_t most_rows);
std::vector<std::string> top_head(const profile::Profile& profile, const TopChoice& choice);

}  // namespace beam_exporter::commands
