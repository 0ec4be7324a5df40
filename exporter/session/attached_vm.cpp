#include "session/attached_vm.h"

#include "beam/layout_check.h"
#include "os/memory/memory_choice.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::session {

os::Result<AttachedVm> attach_to(const os::Process& process, const beam::LayoutLibrary& library) {
  const auto refused = [&](const os::Error& error) {
    return os::Error{error.kind, "cannot attach to process " + std::to_string(process.pid()) +
                                     ": " + error.text};
  };
  auto opened = os::open_process_memory(process);
  if (!opened) return refused(opened.error());
  auto vm = beam::VirtualMachine::attach(process, *opened->memory, library, os::monotonic_now);
  if (!vm) return refused(vm.error());
  return AttachedVm{std::move(opened->memory), std::move(opened->complaint), std::move(*vm)};
}

os::Status prove(beam::VirtualMachine& vm) {
  for (const auto& check : beam::check_layout(vm))
    if (!check.ok)
      return os::Error{os::ErrorKind::malformed,
                       "the VM does not fit layout " + vm.layout().origin + ": check '" +
                           check.name + "' failed (" + check.detail + "); see beam_exporter check"};
  return os::Done{};
}

}  // namespace beam_exporter::session
