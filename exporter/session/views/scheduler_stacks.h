#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "beam/processes/process_id.h"
#include "beam/virtual_machine.h"
#include "os/process/threads.h"
#include "session/latest_stacks.h"

namespace beam_exporter::session {

// How we know the stack of a scheduler.
enum class StackOrigin : std::uint8_t {
  none,     // it runs nothing, or nothing of it can be told
  sample,   // it was on a CPU
  blocked,  // it was off the CPU in the middle of its work
  memory,   // only from the structs of the VM: RunningProcess says what that is worth
};

// What one scheduler runs. Texts only: it outlives the VM.
struct SchedulerStack {
  beam::ThreadRole role;
  std::optional<pid_t> tid;                // nullopt: the VM has ended, or is a core
  std::optional<os::KernelState> kernel;   // at the end of the look
  std::optional<std::string> sleep_flags;  // then, as beam::sleep_flags_text
  StackOrigin origin = StackOrigin::none;
  std::string state;                                 // of microstate accounting; "": not known
  std::string process;                               // "<0.123.0>"; "": none, or not readable
  std::string name, status;                          // as in LatestStack
  std::optional<std::chrono::nanoseconds> seen_for;  // see LatestStack::since; nullopt: seen once
  std::chrono::nanoseconds ago{};  // from the newest look that saw it work to the end of the look
  bool port = false;               // at the end it executed a port
  std::string last_seen_in;        // as in RunningProcess; of origin `memory`
  std::vector<StackLine> lines;    // innermost first; of an idle scheduler where it waits

  bool runs() const { return origin != StackOrigin::none; }
};

using SchedulerLooks = std::map<beam::ThreadRole, LatestStacks::Thread>;

// All schedulers of the VM, in the VM's order: what `looks` tell, and for schedulers of which they
// tell no work, what the VM's structs tell now. `alive` false: the VM has ended, only `looks` tell.
// `now`: the end of the look, CLOCK_MONOTONIC. One thread.
std::vector<SchedulerStack> scheduler_stacks(beam::VirtualMachine& vm,
                                             const std::optional<beam::ProcessIdForm>& ids,
                                             const SchedulerLooks& looks,
                                             std::chrono::nanoseconds now, bool alive);

}  // namespace beam_exporter::session
