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

// The proofs between a layout and trust in it, each against the live VM: run at attach and by
// `beam_exporter check`. All are run even when one fails. Takes milliseconds; reads only.
std::vector<CheckResult> check_layout(VirtualMachine& vm);

bool all_ok(const std::vector<CheckResult>& results);

}  // namespace beam_exporter::beam
