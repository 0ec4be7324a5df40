#pragma once

#include <string>
#include <vector>

#include "commands/tools/top/flame_lines.h"
#include "commands/tools/top/keys.h"
#include "profile/profile.h"

namespace beam_exporter::commands {

enum class LineStyle { plain, bold, reverse };
struct ScreenLine {
  std::string text;  // may be wider than the screen; nothing in it steers a terminal
  LineStyle style = LineStyle::plain;
  std::vector<LineBox> boxes = {};  // parts of the text that have the colour of their kind
};
struct ScreenSize {
  std::size_t rows = 0, columns = 0;
};

// All lines of the screen, from its top: `size.rows` of them, the last one with what keys do or
// with what is being typed. `profile`: of the last interval; nullptr in the first one. Pure.
std::vector<ScreenLine> screen_lines(const TopScreenState& state, const profile::Profile* profile,
                                     ScreenSize size);

}  // namespace beam_exporter::commands
