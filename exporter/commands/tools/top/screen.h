#pragma once

#include <memory>
#include <optional>

#include "commands/tools/top/screen_lines.h"

struct screen;

namespace beam_exporter::commands {

// The terminal of stdin and stdout as a full screen, by ncurses. One at a time, on one thread. The
// terminal is as it was before when this is destroyed.
class Screen {
 public:
  // nullptr: stdin or stdout is no terminal, or one that cannot place its cursor.
  static std::unique_ptr<Screen> open();
  ~Screen();
  Screen(const Screen&) = delete;

  ScreenSize size() const;
  void draw(const std::vector<ScreenLine>& lines);
  // The next key that was pressed, for press(); 0: one that means nothing, or the size has changed;
  // nullopt: there is none.
  std::optional<int> key();

 private:
  Screen(struct screen* terminal, bool coloured) : terminal_(terminal), coloured_(coloured) {}
  struct screen* terminal_;
  bool coloured_;
};

}  // namespace beam_exporter::commands
