#pragma once

#include <set>
#include <string>
#include <vector>

#include "beam/virtual_machine.h"
#include "profile/line_coverage.h"

namespace beam_exporter::session {

struct LoadedLines {
  std::vector<profile::FunctionLines> functions;  // those that have lines
  std::set<std::string> modules;                  // all that are loaded, with lines or without
  bool whole = true;                              // false: there were more lines than we read
};

// What the line tables of all loaded modules know; of `modules` only, unless it is empty. Call it
// after a code().refresh(). One thread.
LoadedLines loaded_lines(beam::VirtualMachine& vm, const std::set<std::string>& modules);

}  // namespace beam_exporter::session
