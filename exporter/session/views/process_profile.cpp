#include "session/views/process_profile.h"

#include "os/monotonic_clock.h"
#include "session/attached_vm.h"
#include "session/views/process_tally.h"

namespace beam_exporter::session {

os::Result<profile::ProcessProfile> process_profile(const beam::VirtualMachine& vm) {
  const auto begin = std::chrono::system_clock::now();
  beam::CodeIndex code(vm.layout(), vm.memory(), vm.code_place(), os::monotonic_now);
  if (!code.refresh())
    return os::Error{os::ErrorKind::unreadable, "the VM's code cannot be read now; try again"};
  auto atoms = vm.separate_atoms();
  ProcessTally tally(vm, code, atoms);
  const auto scan = beam::scan_process_stacks(
      vm, code, [&](const beam::ProcessStack& process) { tally.add(process); });
  if (!scan) return os::Error{os::ErrorKind::unreadable, "the table of processes cannot be read"};
  auto profile = tally.finish(*scan);
  profile.begin = begin;
  profile.target = describe(vm);
  return profile;
}

}  // namespace beam_exporter::session
