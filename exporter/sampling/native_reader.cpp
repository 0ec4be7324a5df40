#include "sampling/native_reader.h"

#include <array>

namespace beam_exporter::sampling {

namespace {

using Register = os::UserRegisters;

// Return addresses remembered; modules come and go, the shared fragments stay.
constexpr std::size_t most_remembered = 1 << 16;

}  // namespace

NativeReader::NativeReader(const beam::VirtualMachine& vm)
    : vm_(&vm), objects_(vm.process(), vm.memory()) {
  update_objects();
  const auto begin = vm.static_data().symbol("erts_schedule");
  const auto symbol = vm.image().symbol("erts_schedule");
  if (begin && symbol) erts_schedule_ = {*begin, *begin + symbol->size};
}

std::optional<os::Address> NativeReader::enter_process(ObservedThread& out,
                                                       const os::UserRegisters& caller,
                                                       const beam::Scheduler& scheduler) {
  if (vm_->frame_pointers()) out.top.frame_pointer = out.process->frame_pointer;
  // A dirty scheduler runs what the process was scheduled out for.
  if (scheduler.role.kind == beam::ThreadKind::normal && !scheduling(out))
    return stack_pointer(out, caller, scheduler);
  out.top.instruction = out.process->i;
  return out.process->stop;
}

bool NativeReader::scheduling(const ObservedThread& out) const {
  // The last frame is the JIT code, the one before it what that has called.
  return out.native_end == elf::UnwindEnd::reached && out.native.size() >= 2 &&
         erts_schedule_.contains(out.native[out.native.size() - 2]);
}

os::UserRegisters NativeReader::unwind(const os::UserRegisters& registers,
                                       const elf::StackBytes& copied, ObservedThread& out) {
  const auto stack = elf::unwind(objects_, registers, copied,
                                 [&](os::Address address) { return vm_->in_jit_area(address); });
  for (const auto& frame : stack.frames) out.native.push_back(frame.address);
  out.native_end = stack.end;
  return stack.registers;
}

// The Erlang stack pointer under C code: in the process struct, or, when the C code was entered
// without storing it there, in rbp as it was at the call.
std::optional<os::Address> NativeReader::stack_pointer(const ObservedThread& out,
                                                       const os::UserRegisters& caller,
                                                       const beam::Scheduler& scheduler) {
  if (!out.top.return_to || vm_->frame_pointers()) return out.process->stop;
  switch (saved_where(*out.top.return_to)) {
    case beam::SavedStackPointer::in_process:
      return out.process->stop;
    case beam::SavedStackPointer::in_register:
      // Proof of the unwinding: the JIT calls C on the very top of the runtime stack.
      if (out.native_end == elf::UnwindEnd::reached &&
          caller[Register::rsp] == scheduler.runtime_stack)
        return caller[Register::rbp];
      break;
    case beam::SavedStackPointer::unknown:
      break;
  }
  return std::nullopt;
}

beam::SavedStackPointer NativeReader::saved_where(os::Address jit_code) {
  if (vm_->code().generation() != code_generation_ || saved_where_.size() >= most_remembered) {
    saved_where_.clear();  // other code may stand there now
    code_generation_ = vm_->code().generation();
  }
  if (const auto known = saved_where_.find(jit_code); known != saved_where_.end())
    return known->second;
  std::array<std::byte, beam::leave_runtime_bytes> code;
  if (!vm_->in_jit_area(jit_code) || !vm_->memory().read(jit_code, code))
    return beam::SavedStackPointer::unknown;
  return saved_where_.emplace(jit_code, beam::saved_stack_pointer(vm_->layout(), code))
      .first->second;
}

}  // namespace beam_exporter::sampling
