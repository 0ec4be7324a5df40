#include "elf/unwinder.h"

#include <optional>

#include "elf/lost_frame_pointer.h"

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

}  // namespace

NativeStack unwind(LoadedObjects& objects, const Registers& start, const StackBytes& stack,
                   const std::function<bool(os::Address)>& stop, KnownRegisters known) {
  NativeStack out{.registers = start};
  bool lost_frame_pointer = known == KnownRegisters::only_place;
  for (bool innermost = true; out.frames.size() < most_frames; innermost = false) {
    const os::Address address = out.registers[Registers::rip];
    out.frames.push_back({address, 0});
    if (stop(address)) {
      out.end = UnwindEnd::reached;
      return out;
    }
    // A return address may be the first byte after its function: look up the rules of the call
    // instruction.
    LoadedObject* object = objects.at(innermost ? address : address - 1);
    if (object == nullptr || !object->frames) return out;
    const FrameRule* rule = object->frames->at((innermost ? address : address - 1) - object->bias);
    if (rule == nullptr || rule->registers[Registers::rip].kind != RegisterRule::Kind::at_cfa)
      return out;
    if (lost_frame_pointer && rule->cfa_register == Registers::rbp) {
      const auto returns = find_return_address(objects, innermost ? address : address - 1,
                                               out.registers[Registers::rsp], stack, stop);
      if (!returns) {
        out.end = UnwindEnd::no_stack;
        return out;
      }
      out.registers.value[Registers::rbp] =
          *returns + sizeof(os::Address) - static_cast<std::uint64_t>(rule->cfa_offset);
      lost_frame_pointer = false;
    }
    if (rule->registers[Registers::rbp].kind == RegisterRule::Kind::at_cfa)
      lost_frame_pointer = false;
    const os::Address cfa = cfa_of(*rule, out.registers);
    // Stacks grow down. If the caller's frame is not above the callee's, the stack would be a
    // cycle.
    if (cfa <= out.registers[Registers::rsp] || !apply(*rule, stack, cfa, out.registers)) {
      out.end = UnwindEnd::no_stack;
      return out;
    }
    out.frames.back().cfa = cfa;
  }
  out.end = UnwindEnd::too_deep;
  return out;
}

}  // namespace beam_exporter::elf
