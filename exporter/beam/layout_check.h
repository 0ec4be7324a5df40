#pragma once

#include <string>
#include <vector>

#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

struct CheckResult {
  std::string name;  // stable: "atoms", "processes", ...
  bool ok = false;
  std::string detail;  // what was seen, one line
};

// Checks a layout against the live VM: each check is a proof of one part of it. Runs at attach and
// in `beam_exporter check`. Runs every check, even when one fails. Takes milliseconds; reads only.
std::vector<CheckResult> check_layout(VirtualMachine& vm);

bool all_ok(const std::vector<CheckResult>& results);

}  // namespace beam_exporter::beam
