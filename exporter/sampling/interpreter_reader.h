#pragma once

#include <map>
#include <optional>

#include "beam/code/interpreter.h"
#include "beam/virtual_machine.h"
#include "elf/unwinder.h"
#include "sampling/losses.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::sampling {

// The interpreter's frame stays where it is for as long as the thread lives. All 0 until a sample
// of this normal scheduler has shown it.
struct InterpreterFrame {
  os::Address stack_pointer = 0;
  // When a process has proven them: rbp, where the Erlang stack pointer is kept, and the end of
  // the places in the frame. 0 for those that are not in the frame.
  os::Address frame_pointer = 0, stack_word = 0, places_end = 0;
  friend bool operator==(const InterpreterFrame&, const InterpreterFrame&) = default;
};

// Reads what the interpreter (`beam/code/interpreter.h`) was doing in a sample, from its places as
// they are, or were when it called C code. One thread.
class InterpreterReader {
 public:
  // Precondition: the VM has an interpreter. `vm` must outlive the reader.
  explicit InterpreterReader(const beam::VirtualMachine& vm);

  struct Found {
    os::Address stack = 0;  // the Erlang stack pointer
    bool stored = false;    // it is Process.stop: the interpreter's own is stale
  };
  // Call it after NativeReader::unwind(), with what that gives and with the same `known`. `copied`
  // is the C stack, with the interpreter's frame. Fills out.top. nullopt when the places do not
  // tell. Without the instruction (only_place) the function on top is missing.
  std::optional<Found> find(ObservedThread& out, const os::UserRegisters& registers,
                            const elf::StackBytes& copied,
                            elf::KnownRegisters known = elf::KnownRegisters::all);

  // All 0 until a process has proven its places.
  InterpreterFrame frame(beam::ThreadRole role) const;

  const InterpreterProofs& proofs() const { return proofs_; }

 private:
  InterpreterFrame find_frame(const ObservedThread& out, const os::UserRegisters& registers,
                              const elf::StackBytes& copied);
  std::optional<os::Address> find_instruction(const ObservedThread& out,
                                              const os::UserRegisters& registers,
                                              const elf::StackBytes& copied,
                                              const InterpreterFrame& frame) const;
  std::optional<os::Address> instruction_of_nif(const ObservedThread& out) const;
  std::optional<Found> find_caller_of_nif(ObservedThread& out) const;

  const beam::VirtualMachine* vm_;
  const beam::Interpreter* interpreter_;
  std::map<beam::ThreadRole, InterpreterFrame> frames_;
  InterpreterProofs proofs_;
};

}  // namespace beam_exporter::sampling
