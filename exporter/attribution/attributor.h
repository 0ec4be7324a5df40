#pragma once

#include <span>
#include <vector>

#include "attribution/attribution.h"
#include "attribution/called_names.h"
#include "attribution/native_code.h"
#include "attribution/native_state.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::attribution {

// Finds the meaning of the samples of one VM: from the C frames, the scheduler's own fields and the
// Erlang stack. One per attached VM and source. One thread.
class Attributor {
 public:
  // `objects`: the VM's ELF files; their owner updates them. Both must outlive this object.
  Attributor(beam::VirtualMachine& vm, elf::LoadedObjects& objects);
  Attributor(const Attributor&) = delete;

  // Call it after a vm.code().refresh() that came after the sample. `code_is_known`: that refresh
  // succeeded.
  Attribution attribute(const sampling::ObservedThread& seen, bool code_is_known);

  // The C functions of the last sample, innermost first, without the JIT code that called them.
  // Valid until update() or blame().
  std::span<const NativeMeaning* const> native_frames() const { return chain_; }

  // Call it when the memory map was read again.
  void update();

  NativeCode& native() { return native_; }
  const NativeCode& native() const { return native_; }

 private:
  NativeState native_state(const sampling::ObservedThread& seen);

  beam::VirtualMachine* vm_;
  NativeCode native_;
  CalledNames called_;
  bool knows_aux_work_ = false;
  std::vector<const NativeMeaning*> chain_;
};

}  // namespace beam_exporter::attribution
