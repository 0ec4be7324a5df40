#include "sampling/native_reader.h"

#include <algorithm>
#include <array>

namespace beam_exporter::sampling {

namespace {

using Register = os::UserRegisters;

// The cache holds at most this many return addresses.
constexpr std::size_t most_remembered = 1 << 16;

using Place = beam::Interpreter::Place;
using Frame = NativeReader::InterpreterFrame;

// Where it is in the frame; 0 for a register. rsp is lower during a call with arguments on the
// stack; rbp is not known where code that does not tell where has saved it.
os::Address word_of(const Place& place, const os::UserRegisters& registers, const Frame& frame) {
  if (!place.in_frame) return 0;
  const os::Address base = place.base == Register::rsp ? frame.stack_pointer
                           : place.base == Register::rbp && frame.frame_pointer != 0
                               ? frame.frame_pointer
                               : registers[place.base];
  return base + static_cast<std::uint64_t>(std::int64_t{*place.in_frame});
}

std::optional<std::uint64_t> value_of(const Place& place, const os::UserRegisters& registers,
                                      const elf::StackBytes& copied, const Frame& frame) {
  return place.in_frame ? copied.word(word_of(place, registers, frame))
                        : std::optional(registers[place.base]);
}

// A process has proven this frame.
Frame proven(const beam::Interpreter::Places& places, const os::UserRegisters& registers,
             Frame frame) {
  frame.stack_word = word_of(places.stack, registers, frame);
  frame.places_end = std::max(frame.stack_word, word_of(places.instruction, registers, frame)) +
                     sizeof(std::uint64_t);
  return frame;
}

}  // namespace

NativeReader::NativeReader(const beam::VirtualMachine& vm)
    : vm_(&vm), objects_(vm.process(), vm.memory(), vm.symbol_search()) {
  update_objects();
  if (const auto schedule = vm.static_data().range("erts_schedule")) erts_schedule_ = *schedule;
  if (erts_schedule_.begin == 0 || erts_schedule_.size() != 0) return;
  // Found without a symbol: the unwind tables know where it ends.
  if (auto* executable = objects_.at(erts_schedule_.begin))
    if (const auto* function =
            executable->symbols().beginning_at(erts_schedule_.begin - executable->bias))
      erts_schedule_.end = erts_schedule_.begin + function->range.size();
}

bool NativeReader::in_erlang_code(const beam::Scheduler* scheduler, os::Address rip) const {
  return scheduler != nullptr && scheduler->role.kind == beam::ThreadKind::normal &&
         vm_->runs_erlang(rip);
}

std::optional<os::Address> NativeReader::find_erlang_stack(ObservedThread& out,
                                                           const os::UserRegisters& caller,
                                                           const elf::StackBytes& copied,
                                                           const beam::Scheduler& scheduler,
                                                           elf::KnownRegisters known) {
  if (vm_->frame_pointers()) out.top.frame_pointer = out.process->frame_pointer;
  // A dirty scheduler runs the function at Process.i, for which the process was scheduled out.
  if (scheduler.role.kind == beam::ThreadKind::normal && !scheduling(out)) {
    if (vm_->interpreter() == nullptr) return stack_pointer(out, caller, scheduler);
    const auto interpreted = find_interpreted(out, caller, copied, known);
    return interpreted ? std::optional(interpreted->stack) : std::nullopt;
  }
  out.top.instruction = out.process->i;
  return out.process->stop;
}

bool NativeReader::scheduling(const ObservedThread& out) const {
  // The last frame is the JIT code; the frame before it is the function that the JIT has called.
  return out.native_end == elf::UnwindEnd::reached && out.native.size() >= 2 &&
         erts_schedule_.contains(out.native[out.native.size() - 2]);
}

os::UserRegisters NativeReader::unwind(const os::UserRegisters& registers,
                                       const elf::StackBytes& copied, ObservedThread& out,
                                       elf::KnownRegisters known) {
  const auto stack = elf::unwind(
      objects_, registers, copied, [&](os::Address address) { return vm_->runs_erlang(address); },
      known);
  for (const auto& frame : stack.frames) out.native.push_back(frame.address);
  out.native_end = stack.end;
  return stack.registers;
}

std::optional<os::Address> NativeReader::stack_pointer(const ObservedThread& out,
                                                       const os::UserRegisters& caller,
                                                       const beam::Scheduler& scheduler) {
  if (!out.top.return_to || vm_->frame_pointers()) return out.process->stop;
  const auto saved = where_saved(*out.top.return_to);
  if (saved == beam::SavedStackPointer::in_process) return out.process->stop;
  const auto in_register = beam::register_of(saved);
  // This proves the unwinding: the JIT calls C code exactly at the top of the runtime stack.
  // 0: code that does not tell where has saved the register.
  if (in_register && out.native_end == elf::UnwindEnd::reached &&
      caller[Register::rsp] == scheduler.runtime_stack && caller[*in_register] != 0)
    return caller[*in_register];
  return std::nullopt;
}

std::optional<NativeReader::Interpreted> NativeReader::find_interpreted(
    ObservedThread& out, const os::UserRegisters& registers, const elf::StackBytes& copied,
    elf::KnownRegisters known) {
  if (out.native_end != elf::UnwindEnd::reached) return find_caller_of_nif(out);
  const auto& in = vm_->interpreter()->places;
  const Frame frame = find_frame(out, registers, copied);
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
  if (moved) return Interpreted{out.process->stop, true};
  if (in.in_frame() && instruction) interpreter_frames_[out.role] = proven(in, registers, frame);
  return Interpreted{*e, false};
}

// Code that does not tell how to leave it may have misled the unwinding: then the registers are not
// those of the call. A call with arguments on the stack is made from below the frame's place.
Frame NativeReader::find_frame(const ObservedThread& out, const os::UserRegisters& registers,
                               const elf::StackBytes& copied) {
  const auto& interpreter = *vm_->interpreter();
  const auto& in = interpreter.places;
  Frame& known = interpreter_frames_[out.role];
  const Frame here{.stack_pointer = registers[Register::rsp],
                   .frame_pointer = registers[Register::rbp]};
  if (!in.in_frame()) {
    known.stack_pointer = std::max(known.stack_pointer, here.stack_pointer);
    return known;
  }
  const auto holds = [&](const Frame& frame) {
    const auto e = value_of(in.stack, registers, copied, frame);
    const auto i = value_of(in.instruction, registers, copied, frame);
    return e && i && out.process->holds(*e) && interpreter.is_instruction(vm_->memory(), *i);
  };
  if (known.places_end == 0) return here;
  return out.process && known.stack_pointer != here.stack_pointer && !holds(known) && holds(here)
             ? here
             : known;
}

// It is 0 where only the place of the thread was given, or code that does not tell where has saved
// it, and no C function below has.
std::optional<os::Address> NativeReader::find_instruction(const ObservedThread& out,
                                                          const os::UserRegisters& registers,
                                                          const elf::StackBytes& copied,
                                                          const Frame& frame) const {
  const auto& interpreter = *vm_->interpreter();
  const auto at = value_of(interpreter.places.instruction, registers, copied, frame);
  if (interpreter.places.always) return at && *at != 0 ? at : instruction_of_nif(out);
  if (const auto nif = instruction_of_nif(out)) return nif;
  if (at && interpreter.is_instruction(vm_->memory(), *at)) return at;
  // clang moves `I` to another register where it needs this one.
  return interpreter.instruction_in(vm_->memory(), registers, out.native.empty());
}

// During the call Process.current points to the name of the function, behind which its first
// instruction stands, the one that calls (call_nif in beam/emu/bif_instrs.tab, OTP 25;
// ErtsCodeInfo in beam/code_ix.h).
std::optional<os::Address> NativeReader::instruction_of_nif(const ObservedThread& out) const {
  if (!out.process || !out.scheduler || out.scheduler->current_nif == 0) return std::nullopt;
  const os::Address behind = out.process->current + sizeof(beam::CodeMfa);
  return vm_->interpreter()->is_instruction(vm_->memory(), behind) ? std::optional(behind)
                                                                   : std::nullopt;
}

// Frames that are larger than what was copied, as RSA in libcrypto has them, hide the interpreter.
// It has stored all that the process needs before it called (HEAVY_SWAPOUT in call_nif).
std::optional<NativeReader::Interpreted> NativeReader::find_caller_of_nif(
    ObservedThread& out) const {
  const auto instruction = out.native.empty() ? std::nullopt : instruction_of_nif(out);
  if (!instruction || !out.process->holds(out.process->stop)) return std::nullopt;
  out.top.instruction = *instruction;
  return Interpreted{out.process->stop, true};
}

NativeReader::InterpreterFrame NativeReader::interpreter_frame(beam::ThreadRole role) const {
  const auto known = interpreter_frames_.find(role);
  if (known == interpreter_frames_.end()) return {};
  const bool proven = known->second.places_end != 0 || !vm_->interpreter()->places.in_frame();
  return proven ? known->second : InterpreterFrame{};
}

beam::SavedStackPointer NativeReader::where_saved(os::Address jit_code) {
  if (vm_->code().generation() != code_generation_ || where_saved_.size() >= most_remembered) {
    where_saved_.clear();  // other code may be there now
    code_generation_ = vm_->code().generation();
  }
  if (const auto known = where_saved_.find(jit_code); known != where_saved_.end())
    return known->second;
  std::array<std::byte, beam::leave_runtime_bytes> code;
  if (!vm_->in_jit_area(jit_code) || !vm_->memory().read(jit_code, code))
    return beam::SavedStackPointer::unknown;
  return where_saved_.emplace(jit_code, beam::saved_stack_pointer(vm_->layout(), code))
      .first->second;
}

}  // namespace beam_exporter::sampling
