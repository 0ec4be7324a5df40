#include "elf/unwinder.h"

#include <optional>

#include "elf/return_address.h"

namespace beam_exporter::elf {

namespace {

using Registers = os::UserRegisters;

// A C stack that is deeper is a recursion (regular expressions); its innermost frames are what
// matters.
constexpr std::size_t most_frames = 256;

os::Address cfa_of(const FrameRule& rule, const Registers& registers) {
  const std::uint64_t pushed = rule.plt_entry && (registers[Registers::rip] & 15) >= 11 ? 8 : 0;
  return registers.value[rule.cfa_register] + static_cast<std::uint64_t>(rule.cfa_offset) + pushed;
}

// False when a saved value lies outside the captured bytes.
bool apply(const FrameRule& rule, const StackBytes& stack, os::Address cfa, Registers& registers) {
  Registers caller = registers;
  for (std::size_t number = 0; number < Registers::count; ++number) {
    if (rule.registers[number].kind != RegisterRule::Kind::at_cfa) continue;
    const os::Address slot =
        cfa + static_cast<std::uint64_t>(std::int64_t{rule.registers[number].offset});
    // The epilogue has popped it already: gcc keeps the rule, but the register holds the value.
    if (slot < registers[Registers::rsp]) continue;
    const auto saved = stack.word(slot);
    if (!saved) return false;
    caller.value[number] = *saved;
  }
  caller.value[Registers::rsp] = cfa;
  registers = caller;
  return true;
}

// A function saves what it changes of the registers that it must preserve (x86-64 psABI): without
// rules nobody knows where. rsp and rip are those of its caller.
void forget_preserved(Registers& registers) {
  for (const auto lost : {Registers::rbx, Registers::rbp, Registers::r12, Registers::r13,
                          Registers::r14, Registers::r15})
    registers.value[lost] = 0;
}

// From a frame to its caller.
class Steps {
 public:
  Steps(LoadedObjects& objects, const StackBytes& stack,
        const std::function<bool(os::Address)>& stop, KnownRegisters known)
      : objects_(&objects),
        stack_(stack),
        stop_(stop),
        lost_frame_pointer_(known == KnownRegisters::only_place) {}

  // `inside`: an address in the instruction that runs, or that calls. Afterwards the registers are
  // those of the caller; or the answer is why the stack ends here.
  std::optional<UnwindEnd> step(os::Address inside, Registers& registers) {
    LoadedObject* object = objects_->at(inside);
    if (object == nullptr) return UnwindEnd::no_rules;
    const FrameRule* rule = object->rules(inside);
    return rule == nullptr ? without_rule(inside, registers) : by(*rule, inside, registers);
  }

 private:
  std::optional<UnwindEnd> without_rule(os::Address inside, Registers& registers) {
    const os::Address stack_pointer = registers[Registers::rsp];
    const auto returns = find_bare_return(*objects_, inside, stack_pointer, stack_, stop_);
    if (!returns) return UnwindEnd::no_rules;
    if (*returns != stack_pointer) {  // it has saved something
      forget_preserved(registers);
      lost_frame_pointer_ = true;
    }
    registers.value[Registers::rip] = *stack_.word(*returns);
    registers.value[Registers::rsp] = *returns + sizeof(os::Address);
    return std::nullopt;
  }

  std::optional<UnwindEnd> by(const FrameRule& rule, os::Address inside, Registers& registers) {
    if (rule.registers[Registers::rip].kind != RegisterRule::Kind::at_cfa)
      return UnwindEnd::no_rules;
    const os::Address stack_pointer = registers[Registers::rsp];
    if (lost_frame_pointer_ && rule.cfa_register == Registers::rbp) {
      const auto returns = find_framed_return(*objects_, inside, stack_pointer, stack_, stop_);
      if (!returns) return UnwindEnd::no_stack;
      registers.value[Registers::rbp] =
          *returns + sizeof(os::Address) - static_cast<std::uint64_t>(rule.cfa_offset);
      lost_frame_pointer_ = false;
    }
    if (rule.registers[Registers::rbp].kind == RegisterRule::Kind::at_cfa)
      lost_frame_pointer_ = false;
    const os::Address cfa = cfa_of(rule, registers);
    // Stacks grow down. If the caller's frame is not above the callee's, the stack would be a
    // cycle.
    if (cfa <= stack_pointer || !apply(rule, stack_, cfa, registers)) return UnwindEnd::no_stack;
    return std::nullopt;
  }

  LoadedObjects* objects_;
  const StackBytes& stack_;
  const std::function<bool(os::Address)>& stop_;
  bool lost_frame_pointer_;
};

}  // namespace

NativeStack unwind(LoadedObjects& objects, const Registers& start, const StackBytes& stack,
                   const std::function<bool(os::Address)>& stop, KnownRegisters known) {
  NativeStack out{.registers = start};
  Steps steps(objects, stack, stop, known);
  while (out.frames.size() < most_frames) {
    const os::Address address = out.registers[Registers::rip];
    const bool innermost = out.frames.empty();
    out.frames.push_back({address, 0});
    if (stop(address)) {
      out.end = UnwindEnd::reached;
      return out;
    }
    // A return address may be the first byte after its function: look up the rules of the call
    // instruction.
    if (const auto end = steps.step(innermost ? address : address - 1, out.registers)) {
      out.end = *end;
      return out;
    }
    out.frames.back().cfa = out.registers[Registers::rsp];
  }
  out.end = UnwindEnd::too_deep;
  return out;
}

}  // namespace beam_exporter::elf
