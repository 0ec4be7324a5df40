#pragma once

#include <chrono>

#include "commands/tools/pstack/scheduler_report.h"
#include "commands/tools/tool.h"

namespace beam_exporter::commands {

struct SchedulersLook {
  bool idle_too = false;             // where idle schedulers wait is told as well
  bool until_all_worked = false;     // else it ends after the usual time
  std::chrono::seconds most_time{};  // of until_all_worked; 0: no bound
};

// Watches the schedulers of the VM that the settings choose: samples, and looks at the threads that
// are off the CPU. Shows its progress on stderr; Ctrl-C ends it early. Errors: those of
// beam::find_target and session::SchedulerWatch::begin.
os::Result<SchedulerReport> look_at_schedulers(const ToolContext& context,
                                               const SchedulersLook& look);

// The same of a VM in a core, of which only memory is left.
SchedulerReport schedulers_in_core(beam::VirtualMachine& vm);

}  // namespace beam_exporter::commands
