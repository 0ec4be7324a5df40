#pragma once

#include <map>
#include <string>

#include "profile/formats/flame_tree.h"

namespace beam_exporter::profile {

// One box of a flame graph, and those that stand on it, side by side.
struct FlameBox {
  double width = 0;                          // share of the whole, in [0, 1]
  std::string colour;                        // as CSS has it
  std::string told;                          // behind its name, where the pointer is
  std::map<std::string, FlameBox> children;  // by name

  // For other colours, and for the graph that is merged from the top. A picture whose root has no
  // kind has neither: its `colour` means something else.
  std::string kind, application;
  std::map<std::string, FlameTime> own;  // by state, without the boxes that stand on it
};

// Draws a flame graph: one svg with everything in it, for any browser. The root is at the bottom. A
// click zooms, Ctrl-F searches, hovering tells; keys invert it and change its colours; what is seen
// stands in the fragment of the address. Boxes below a millionth of the whole are left out; the
// note says how many. Called by flame_svg() and difference_svg().
std::string flame_picture(const FlameBox& root, const std::string& title, const std::string& note);

}  // namespace beam_exporter::profile
