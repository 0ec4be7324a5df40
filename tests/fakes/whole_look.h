#pragma once

#include <string>
#include <vector>

#include "beam/virtual_machine.h"
#include "fakes/read_log.h"

namespace beam_exporter::tests {

// Everything that beam/ tells of one VM, which may be wrong in any word.
struct WholeLook {
  bool attached = false;
  std::string told;                 // equal when all that was told is equal
  std::vector<std::string> absurd;  // what was told and is true of no VM
};

// Attaches, then runs all checks and every reader, and notes in `memory` what each of them reads.
WholeLook look_at_all(ReadLog& memory, beam::VirtualMachine::Description description);

}  // namespace beam_exporter::tests
