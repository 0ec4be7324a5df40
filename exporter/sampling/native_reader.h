#pragma once

#include <optional>
#include <unordered_map>

#include "beam/code/runtime_call.h"
#include "beam/virtual_machine.h"
#include "elf/loaded_objects.h"
#include "elf/unwinder.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::sampling {

// The native side of a sample, from registers and stack of its instant: the C frames, and where the
// Erlang stack pointer was while they ran. Serves every source. One thread.
class NativeReader {
 public:
  // The VM outlives it.
  explicit NativeReader(const beam::VirtualMachine& vm);

  // Fills the sample's native frames; returns the registers as they were in the last of them.
  os::UserRegisters unwind(const os::UserRegisters& registers, const elf::StackBytes& copied,
                           ObservedThread& out);

  // C code that works for out.process, after unwind(): says in out.top what the process does, and
  // returns where its Erlang stack begins. nullopt: it cannot be told.
  std::optional<os::Address> enter_process(ObservedThread& out, const os::UserRegisters& caller,
                                           const beam::Scheduler& scheduler);

  // The Erlang stack pointer under C code that JIT code called: Process.stop, or, when the C code
  // was entered without storing it there, rbp as it was at the call. nullopt: it cannot be told.
  std::optional<os::Address> stack_pointer(const ObservedThread& out,
                                           const os::UserRegisters& caller,
                                           const beam::Scheduler& scheduler);

  // After unwind(): the JIT has called erts_schedule, to swap the process out or having swapped it
  // in. What the process goes on with is then Process.i, and its stack is at Process.stop.
  bool scheduling(const ObservedThread& out) const;

  // For JIT code around a call of C code.
  beam::SavedStackPointer saved_where(os::Address jit_code);

  // Libraries may have come or gone: the VM's memory map was read anew.
  void update_objects() { objects_.update(vm_->memory_map()); }
  elf::LoadedObjects& objects() { return objects_; }

 private:
  const beam::VirtualMachine* vm_;
  elf::LoadedObjects objects_;
  std::unordered_map<os::Address, beam::SavedStackPointer> saved_where_;  // by return address
  std::uint64_t code_generation_ = 0;
  os::AddressRange erts_schedule_;
};

}  // namespace beam_exporter::sampling
