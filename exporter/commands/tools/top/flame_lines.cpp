#include "commands/tools/top/flame_lines.h"

#include <algorithm>
#include <cmath>

#include "commands/tools/share_text.h"
#include "text/printed.h"
#include "text/utf8.h"
#include "text/visible.h"

namespace beam_exporter::commands {

namespace {

using profile::FlameNode;

// As many characters as fit; the rest is spaces.
std::string cut(std::string_view text, std::size_t columns) {
  std::string shown;
  for (; columns > 0 && !text.empty(); --columns) {
    const auto length = std::max<std::size_t>(1, text::utf8_length(text));
    shown += text.substr(0, length);
    text.remove_prefix(length);
  }
  return shown.append(columns, ' ');
}

std::string box_text(const LineBox& box, std::uint64_t samples) {
  if (box.columns == 1) return "|";
  const auto share = text::printed(" %.0f %%", 100 * commands::share(box.samples, samples));
  const std::size_t room = box.columns - 2;
  return "[" + cut(box.name.size() + share.size() <= room ? box.name + share : box.name, room) +
         "]";
}

class Layout {
 public:
  Layout(std::uint64_t samples, std::size_t columns, std::size_t most_levels)
      : samples_(samples), columns_(columns), most_levels_(most_levels) {}

  // `before`: samples of all boxes on its left.
  void add(const FlameNode& node, std::string name, std::uint64_t before, std::size_t level) {
    const auto begin = column_of(before), end = column_of(before + node.samples);
    if (begin == end) {
      lines_.narrow_boxes += level < most_levels_ ? 1 : 0;
      lines_.narrow_samples += level < most_levels_ ? node.samples : 0;
      return;
    }
    if (level >= most_levels_) {
      lines_.levels_below = std::max(lines_.levels_below, level - most_levels_ + 1);
    } else {
      if (level == lines_.levels.size()) lines_.levels.emplace_back();
      lines_.levels[level].boxes.push_back(
          {begin, end - begin, node.kind, std::move(name), node.samples});
    }
    for (const auto& [text, child] : node.children) {
      add(child, text::visible(text), before, level + 1);
      before += child.samples;
    }
  }

  FlameLines take() {
    for (auto& level : lines_.levels) {
      std::size_t at = 0;
      for (const auto& box : level.boxes) {
        level.text.append(box.begin - at, ' ');
        level.text += box_text(box, samples_);
        at = box.begin + box.columns;
      }
    }
    return std::move(lines_);
  }

 private:
  std::size_t column_of(std::uint64_t samples) const {
    return static_cast<std::size_t>(
        std::lround(static_cast<double>(columns_) * share(samples, samples_)));
  }

  std::uint64_t samples_;
  std::size_t columns_, most_levels_;
  FlameLines lines_;
};

}  // namespace

FlameLines flame_lines(const FlameNode& root, std::size_t columns, std::size_t most_levels) {
  Layout layout(root.samples, columns, most_levels);
  if (root.samples > 0) layout.add(root, "all", 0, 0);
  return layout.take();
}

std::string left_out_text(const FlameLines& lines, std::uint64_t samples) {
  std::string told;
  if (lines.narrow_boxes > 0)
    told = text::printed("%zu boxes narrower than a column (%.2f %% of the samples)",
                         lines.narrow_boxes, 100 * share(lines.narrow_samples, samples));
  if (lines.levels_below > 0)
    told += text::printed("%s%zu deeper levels", told.empty() ? "" : ", ", lines.levels_below);
  return told.empty() ? told : "not shown: " + told;
}

}  // namespace beam_exporter::commands
