#include "sampling/native_reader.h"

#include <array>

namespace beam_exporter::sampling {

namespace {

using Register = os::UserRegisters;

// The cache holds at most this many return addresses.
constexpr std::size_t most_remembered = 1 << 16;

}  // namespace

NativeReader::NativeReader(const beam::VirtualMachine& vm)
    : vm_(&vm), objects_(vm.process(), vm.memory(), vm.symbol_search()) {
  update_objects();
  if (vm.interpreter() != nullptr) interpreter_.emplace(vm);
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
    if (!interpreter_) return stack_pointer(out, caller, scheduler);
    const auto found = interpreter_->find(out, caller, copied, known);
    return found ? std::optional(found->stack) : std::nullopt;
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
