#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/formats/flame_tree.h"

// A flame graph as lines of text, the root on top: each box as many columns wide as its share of
// the samples. Pure.
namespace beam_exporter::commands {

struct LineBox {
  std::size_t begin = 0, columns = 0;  // at least one
  profile::FunctionKind kind = profile::FunctionKind::other;
  std::string name;  // nothing in it steers a terminal
  std::uint64_t samples = 0;
};

struct FlameLevel {
  std::string text;  // "[lists:sort/1 43 %   ][ets:lo]|", spaces between boxes
  std::vector<LineBox> boxes;
};

struct FlameLines {
  std::vector<FlameLevel> levels;
  // What is not shown: boxes that got no column, with all below them, and levels below the last
  // line.
  std::size_t narrow_boxes = 0, levels_below = 0;
  std::uint64_t narrow_samples = 0;
};

// At most `most_levels` of them, each `columns` wide. One character of a name is one column.
FlameLines flame_lines(const profile::FlameNode& root, std::size_t columns,
                       std::size_t most_levels);

// "not shown: 12 boxes narrower than a column (3.40 % of the samples), 5 deeper levels"; "": all is
// shown.
std::string left_out_text(const FlameLines& lines, std::uint64_t samples);

}  // namespace beam_exporter::commands
