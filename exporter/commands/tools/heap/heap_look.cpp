#include "commands/tools/heap/heap_look.h"

#include "beam/held/held_proof.h"
#include "beam/processes_of_vm.h"

namespace beam_exporter::commands {

HeapKey heap_key(std::string_view name) {
  if (name == "messages") return HeapKey::messages;
  if (name == "reductions") return HeapKey::reductions;
  if (name == "memory") return HeapKey::memory;
  return name == "binaries" ? HeapKey::binaries : HeapKey::heap;
}

beam::Holdings holdings_for(HeapKey key) {
  return {.memory = key == HeapKey::memory, .binaries = key == HeapKey::binaries};
}

os::Result<HeapLook> look_at_heaps(const beam::VirtualMachine& vm, HeapKey key) {
  const auto& layout = vm.layout();
  const auto wanted = holdings_for(key);
  const bool known = key == HeapKey::reductions ? layout.process.reductions.present()
                                                : beam::can_measure(layout, wanted);
  if (!known)
    return os::Error{
        os::ErrorKind::unreadable,
        "the layout " + layout.origin +
            " does not tell where this is in the VM; an older version of `beam_exporter "
            "layout` wrote it: write it again"};
  HeapLook look;
  const auto scan =
      beam::scan_processes(vm, [&](const auto& process) { look.processes.push_back(process); });
  if (!scan) return os::Error{os::ErrorKind::unreadable, "the table of processes cannot be read"};
  look.scan = *scan;
  if (wanted.memory || wanted.binaries) {
    const auto proofs = beam::prove_held(layout, vm.memory(), look.processes);
    const auto& proof = wanted.memory ? proofs.memory : proofs.binaries;
    if (!proof.ok)
      return os::Error{os::ErrorKind::malformed,
                       "this VM does not keep it where the layout " + layout.origin + " says (" +
                           proof.detail + "): `beam_exporter layout` makes a layout of its build"};
    auto measured = beam::measure_held(layout, vm.memory(), look.processes, wanted);
    look.held = std::move(measured.held);
    look.given_up = measured.given_up;
  }
  return look;
}

std::optional<beam::Amount> value_of(const HeapLook& look, std::size_t process, HeapKey key) {
  const auto& one = look.processes[process];
  if (key == HeapKey::memory) return look.held[process].memory;
  if (key == HeapKey::binaries) return look.held[process].binaries;
  if (key == HeapKey::heap) return beam::Amount{one.heap_bytes};
  if (key == HeapKey::messages) return beam::Amount{one.messages};
  if (!one.reductions) return std::nullopt;
  return beam::Amount{*one.reductions};
}

}  // namespace beam_exporter::commands
