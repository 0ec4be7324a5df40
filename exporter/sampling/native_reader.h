#pragma once

#include <optional>
#include <unordered_map>

#include "beam/code/runtime_call.h"
#include "beam/virtual_machine.h"
#include "elf/loaded_objects.h"
#include "elf/unwinder.h"
#include "sampling/interpreter_reader.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::sampling {

// Reads the native side of a sample, from its registers and its copied stack: the C frames, and
// where the Erlang stack is meanwhile. Used by every source. One thread.
class NativeReader {
 public:
  // `vm` must outlive the reader.
  explicit NativeReader(const beam::VirtualMachine& vm);

  // True while a scheduler (null: another thread) is at `rip` in code that runs Erlang functions:
  // in JIT code, or in the interpreter.
  bool in_erlang_code(const beam::Scheduler* scheduler, os::Address rip) const;

  // Fills `out.native` with the C frames. Returns the registers as they were in the last frame.
  os::UserRegisters unwind(const os::UserRegisters& registers, const elf::StackBytes& copied,
                           ObservedThread& out,
                           elf::KnownRegisters known = elf::KnownRegisters::all);

  // For C code that works for out.process; call it after unwind(), with the same `known`. Fills
  // out.top, and returns the Erlang stack pointer of the process. nullopt: it is not known.
  // `copied` is the C stack, with the interpreter's frame.
  std::optional<os::Address> find_erlang_stack(
      ObservedThread& out, const os::UserRegisters& caller, const elf::StackBytes& copied,
      const beam::Scheduler& scheduler, elf::KnownRegisters known = elf::KnownRegisters::all);

  // The Erlang stack pointer while C code runs that JIT code has called: Process.stop, or, when the
  // JIT did not store it there, the register at the call. nullopt: it is not known.
  std::optional<os::Address> stack_pointer(const ObservedThread& out,
                                           const os::UserRegisters& caller,
                                           const beam::Scheduler& scheduler);

  // Call it after unwind(). True when the JIT has called erts_schedule (erl_process.c, OTP 25 and
  // 27), which has scheduled the process in or will schedule it out. Then the process continues at
  // Process.i, and its stack is at Process.stop.
  bool scheduling(const ObservedThread& out) const;

  // Null where the JIT compiles the code.
  InterpreterReader* interpreter() { return interpreter_ ? &*interpreter_ : nullptr; }
  const InterpreterReader* interpreter() const { return interpreter_ ? &*interpreter_ : nullptr; }
  InterpreterProofs proofs() const {
    return interpreter_ ? interpreter_->proofs() : InterpreterProofs{};
  }

  // Where the Erlang stack pointer is saved during the call of C code before this address in JIT
  // code.
  beam::SavedStackPointer where_saved(os::Address jit_code);

  // Call it when the VM's memory map was read again: libraries may have been loaded or unloaded.
  void update_objects() { objects_.update(vm_->memory_map()); }
  elf::LoadedObjects& objects() { return objects_; }

 private:
  const beam::VirtualMachine* vm_;
  elf::LoadedObjects objects_;
  std::unordered_map<os::Address, beam::SavedStackPointer> where_saved_;  // by return address
  std::uint64_t code_generation_ = 0;
  os::AddressRange erts_schedule_;
  std::optional<InterpreterReader> interpreter_;
};

}  // namespace beam_exporter::sampling
