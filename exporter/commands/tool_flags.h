#pragma once

#include <deque>
#include <string>
#include <vector>

#include "commands/tools/tool.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace beam_exporter::commands {

// The flags of one tool on its part of the command line. Used by the parser of the command line.
class ToolFlags {
 public:
  // `tool` and `app` outlive it.
  ToolFlags(Tool& tool, CLI::App& app);

  // After the parse, if this tool was asked for: converts what was given, and lets the tool judge
  // the whole. Error: one line, "--limit: 0 is outside 1..10000".
  os::Status read();

  const CLI::App& app() const { return *app_; }

 private:
  struct Registered {
    Flag flag;
    std::vector<std::string> given;
  };
  os::Status take(const Registered& registered);

  Tool* tool_;
  CLI::App* app_;
  std::deque<Registered> flags_;  // CLI11 keeps references to `given`
};

}  // namespace beam_exporter::commands
