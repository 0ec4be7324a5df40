#pragma once

#include <optional>
#include <string>

#include "commands/tools/top/view.h"

// What the keys of the full screen change. Pure.
namespace beam_exporter::commands {

// A key is a byte of what was typed, or one of these.
enum TopKey { key_escape = 27, key_enter = '\n', key_backspace = 127 };

struct TopScreenState {
  TopChoice choice;
  bool frozen = false;  // the table stays
  bool help = false;    // is shown instead of the table
  bool quit = false;
  std::optional<std::string> typed;  // the filter, while it is being typed
};

void press(TopScreenState& state, int key);

}  // namespace beam_exporter::commands
