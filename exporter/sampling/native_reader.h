#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "beam/code/runtime_call.h"
#include "beam/virtual_machine.h"
#include "elf/loaded_objects.h"
#include "elf/unwinder.h"
#include "sampling/losses.h"
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

  // While the interpreter runs, or C code that it has called: the same as find_erlang_stack(), from
  // its places as they are, or were at the call. nullopt when they do not tell. Without the
  // instruction (only_place) the function on top is missing.
  struct Interpreted {
    os::Address stack = 0;
    bool stored = false;  // Process.stop: its own pointer is stale
  };
  std::optional<Interpreted> find_interpreted(ObservedThread& out,
                                              const os::UserRegisters& registers,
                                              const elf::StackBytes& copied,
                                              elf::KnownRegisters known = elf::KnownRegisters::all);

  const InterpreterProofs& proofs() const { return proofs_; }

  // The interpreter's frame stays where it is for as long as the thread lives. All 0 until a sample
  // of this normal scheduler has shown it.
  struct InterpreterFrame {
    os::Address stack_pointer = 0;
    // When a process has proven them: rbp, where the Erlang stack pointer is kept, and the end of
    // the places in the frame. 0 for those that are not in the frame.
    os::Address frame_pointer = 0, stack_word = 0, places_end = 0;
    friend bool operator==(const InterpreterFrame&, const InterpreterFrame&) = default;
  };
  // Until a process has proven its places, it is not known either.
  InterpreterFrame interpreter_frame(beam::ThreadRole role) const;

  // Where the Erlang stack pointer is saved during the call of C code before this address in JIT
  // code.
  beam::SavedStackPointer where_saved(os::Address jit_code);

  // Call it when the VM's memory map was read again: libraries may have been loaded or unloaded.
  void update_objects() { objects_.update(vm_->memory_map()); }
  elf::LoadedObjects& objects() { return objects_; }

 private:
  InterpreterFrame find_frame(const ObservedThread& out, const os::UserRegisters& registers,
                              const elf::StackBytes& copied);
  std::optional<os::Address> find_instruction(const ObservedThread& out,
                                              const os::UserRegisters& registers,
                                              const elf::StackBytes& copied,
                                              const InterpreterFrame& frame) const;
  std::optional<os::Address> instruction_of_nif(const ObservedThread& out) const;
  std::optional<Interpreted> find_caller_of_nif(ObservedThread& out) const;

  const beam::VirtualMachine* vm_;
  elf::LoadedObjects objects_;
  std::unordered_map<os::Address, beam::SavedStackPointer> where_saved_;  // by return address
  std::uint64_t code_generation_ = 0;
  os::AddressRange erts_schedule_;
  std::map<beam::ThreadRole, InterpreterFrame> interpreter_frames_;
  InterpreterProofs proofs_;
};

}  // namespace beam_exporter::sampling
