#include "sampling/interpreter_reader.h"

#include <algorithm>

namespace beam_exporter::sampling {

namespace {

using Register = os::UserRegisters;
using Place = beam::InterpreterPlace;

// Where it is in the frame; 0 for a register. rsp is lower during a call with arguments on the
// stack; rbp is not known where code that does not tell where has saved it.
os::Address word_of(const Place& place, const os::UserRegisters& registers,
                    const InterpreterFrame& frame) {
  if (!place.in_frame) return 0;
  const os::Address base = place.base == Register::rsp ? frame.stack_pointer
                           : place.base == Register::rbp && frame.frame_pointer != 0
                               ? frame.frame_pointer
                               : registers[place.base];
  return base + static_cast<std::uint64_t>(std::int64_t{*place.in_frame});
}

std::optional<std::uint64_t> value_of(const Place& place, const os::UserRegisters& registers,
                                      const elf::StackBytes& copied,
                                      const InterpreterFrame& frame) {
  return place.in_frame ? copied.word(word_of(place, registers, frame))
                        : std::optional(registers[place.base]);
}

// A process has proven this frame.
InterpreterFrame proven(const beam::Interpreter::Places& places, const os::UserRegisters& registers,
                        InterpreterFrame frame) {
  frame.stack_word = word_of(places.stack, registers, frame);
  frame.places_end = std::max(frame.stack_word, word_of(places.instruction, registers, frame)) +
                     sizeof(std::uint64_t);
  return frame;
}

}  // namespace

InterpreterReader::InterpreterReader(const beam::VirtualMachine& vm)
    : vm_(&vm), interpreter_(vm.interpreter()) {}

std::optional<InterpreterReader::Found> InterpreterReader::find(ObservedThread& out,
                                                                const os::UserRegisters& registers,
                                                                const elf::StackBytes& copied,
                                                                elf::KnownRegisters known) {
  if (out.native_end != elf::UnwindEnd::reached) return find_caller_of_nif(out);
  const auto& in = interpreter_->places;
  const InterpreterFrame frame = find_frame(out, registers, copied);
  const auto instruction = find_instruction(out, registers, copied, frame);
  const auto e = value_of(in.stack, registers, copied, frame);
  // Under C code both may be stale for long, as in a NIF that does not return.
  if (out.process && out.native.empty() && !in.always)
    ++(instruction && e && out.process->holds(*e) ? proofs_.held : proofs_.failed);
  if (instruction)
    out.top.instruction = *instruction;
  else if (known == elf::KnownRegisters::all)
    return std::nullopt;
  if (!out.process) return std::nullopt;
  // A collection moves the stack: Process.stop leaves the old heap before `heap` and `hend` do, and
  // the interpreter's pointer is stale until the C function returns (do_minor in erl_gc.c, OTP 23
  // and 25).
  const bool moved = !e || !out.process->holds(*e) || !out.process->holds(out.process->stop);
  if (moved) return Found{out.process->stop, true};
  if (in.in_frame() && instruction) frames_[out.role] = proven(in, registers, frame);
  return Found{*e, false};
}

// Code that does not tell how to leave it may have misled the unwinding: then the registers are not
// those of the call. A call with arguments on the stack is made from below the frame's place.
InterpreterFrame InterpreterReader::find_frame(const ObservedThread& out,
                                               const os::UserRegisters& registers,
                                               const elf::StackBytes& copied) {
  const auto& in = interpreter_->places;
  InterpreterFrame& known = frames_[out.role];
  const InterpreterFrame here{.stack_pointer = registers[Register::rsp],
                              .frame_pointer = registers[Register::rbp]};
  if (!in.in_frame()) {
    known.stack_pointer = std::max(known.stack_pointer, here.stack_pointer);
    return known;
  }
  const auto holds = [&](const InterpreterFrame& frame) {
    const auto e = value_of(in.stack, registers, copied, frame);
    const auto i = value_of(in.instruction, registers, copied, frame);
    return e && i && out.process->holds(*e) && interpreter_->is_instruction(vm_->memory(), *i);
  };
  if (known.places_end == 0) return here;
  return out.process && known.stack_pointer != here.stack_pointer && !holds(known) && holds(here)
             ? here
             : known;
}

// It is 0 where only the place of the thread was given, or code that does not tell where has saved
// it, and no C function below has.
std::optional<os::Address> InterpreterReader::find_instruction(
    const ObservedThread& out, const os::UserRegisters& registers, const elf::StackBytes& copied,
    const InterpreterFrame& frame) const {
  const auto at = value_of(interpreter_->places.instruction, registers, copied, frame);
  if (interpreter_->places.always) return at && *at != 0 ? at : instruction_of_nif(out);
  if (const auto nif = instruction_of_nif(out)) return nif;
  if (at && interpreter_->is_instruction(vm_->memory(), *at)) return at;
  // clang moves `I` to another register where it needs this one.
  return interpreter_->instruction_in(vm_->memory(), registers, out.native.empty());
}

// During the call Process.current points to the name of the function, behind which its first
// instruction stands, the one that calls (call_nif in beam/emu/bif_instrs.tab, OTP 25;
// ErtsCodeInfo in beam/code_ix.h).
std::optional<os::Address> InterpreterReader::instruction_of_nif(const ObservedThread& out) const {
  if (!out.process || !out.scheduler || out.scheduler->current_nif == 0) return std::nullopt;
  const os::Address behind = out.process->current + sizeof(beam::CodeMfa);
  return interpreter_->is_instruction(vm_->memory(), behind) ? std::optional(behind) : std::nullopt;
}

// Frames that are larger than what was copied, as RSA in libcrypto has them, hide the
// interpreter_-> It has stored all that the process needs before it called (HEAVY_SWAPOUT in
// call_nif).
std::optional<InterpreterReader::Found> InterpreterReader::find_caller_of_nif(
    ObservedThread& out) const {
  const auto instruction = out.native.empty() ? std::nullopt : instruction_of_nif(out);
  if (!instruction || !out.process->holds(out.process->stop)) return std::nullopt;
  out.top.instruction = *instruction;
  return Found{out.process->stop, true};
}

InterpreterFrame InterpreterReader::frame(beam::ThreadRole role) const {
  const auto known = frames_.find(role);
  if (known == frames_.end()) return {};
  const bool proven = known->second.places_end != 0 || !interpreter_->places.in_frame();
  return proven ? known->second : InterpreterFrame{};
}

}  // namespace beam_exporter::sampling
