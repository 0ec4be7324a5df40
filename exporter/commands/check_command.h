#pragma once

#include <string>
#include <vector>

#include "beam/layout/layout_library.h"
#include "beam/layout_check.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::commands {

struct CheckReport {
  int pid = 0;
  std::string layout;             // "dwarf" or the layout's name
  std::string symbols, build_id;  // session::symbols_of; of the executable
  beam::Release release;
  std::vector<beam::CheckResult> results;
  // beam::check_parts and check_held: those that fail are left out.
  std::vector<beam::CheckResult> parts;
  std::string doubt;  // beam::layout_doubt
};

// `beam_exporter check`: attaches to the VM and runs every proof. Error: attaching itself failed. A
// report may hold failed proofs. If the VM has just started, it tries again for some seconds.
os::Result<CheckReport> check_target(const os::Process& process,
                                     const beam::LayoutLibrary& library);

// One line per proof: "ok  atoms  atom 0 is ...".
std::string check_text(const CheckReport& report);
std::string check_json(const CheckReport& report);

}  // namespace beam_exporter::commands
