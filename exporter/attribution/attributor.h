#pragma once

#include <vector>

#include "attribution/attribution.h"
#include "attribution/called_names.h"
#include "attribution/native_code.h"
#include "attribution/native_state.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::attribution {

// Samples of one VM to their meaning: the C frames, what the scheduler said of itself, and the
// Erlang stack, put together. One per attached VM and source; one thread.
class Attributor {
 public:
  // `objects`: the VM's ELF files, kept up to date by their owner. Both outlive it.
  Attributor(beam::VirtualMachine& vm, elf::LoadedObjects& objects);
  Attributor(const Attributor&) = delete;

  // After code().refresh() that followed the sample; `code_is_known`: it succeeded.
  Attribution attribute(const sampling::ObservedThread& seen, bool code_is_known);

  // The memory map was read anew.
  void update();

  NativeCode& native() { return native_; }
  const NativeCode& native() const { return native_; }

 private:
  NativeState native_state(const sampling::ObservedThread& seen);

  beam::VirtualMachine* vm_;
  NativeCode native_;
  CalledNames called_;
  bool tells_aux_work_ = false;
  std::vector<const NativeMeaning*> chain_;
};

}  // namespace beam_exporter::attribution
