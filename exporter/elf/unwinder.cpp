#include "elf/unwinder.h"

#include <cstring>
#include <optional>

namespace beam_exporter::elf {

namespace {

using Registers = os::UserRegisters;

// Deeper C stacks than this are recursion (regular expressions); their top is what matters.
constexpr std::size_t most_frames = 256;

std::optional<std::uint64_t> word_at(const StackBytes& stack, os::Address address) {
  if (address < stack.begin) return std::nullopt;
  const std::uint64_t at = address - stack.begin;
  if (at > stack.bytes.size() || stack.bytes.size() - at < sizeof(std::uint64_t))
    return std::nullopt;
  std::uint64_t word = 0;
  std::memcpy(&word, stack.bytes.data() + at, sizeof word);
  return word;
}

os::Address cfa_of(const FrameRule& rule, const Registers& registers) {
  const std::uint64_t pushed = rule.plt_entry && (registers[Registers::rip] & 15) >= 11 ? 8 : 0;
  return registers.value[rule.cfa_register] + static_cast<std::uint64_t>(rule.cfa_offset) + pushed;
}

// False when a value that is needed lies outside the captured bytes.
bool apply(const FrameRule& rule, const StackBytes& stack, os::Address cfa, Registers& registers) {
  Registers caller = registers;
  for (std::size_t number = 0; number < Registers::count; ++number) {
    if (rule.registers[number].kind != RegisterRule::Kind::at_cfa) continue;
    const os::Address slot =
        cfa + static_cast<std::uint64_t>(std::int64_t{rule.registers[number].offset});
    // An epilogue has popped it already: gcc leaves the rule, the register holds the value.
    if (slot < registers[Registers::rsp]) continue;
    const auto saved = word_at(stack, slot);
    if (!saved) return false;
    caller.value[number] = *saved;
  }
  caller.value[Registers::rsp] = cfa;
  registers = caller;
  return true;
}

}  // namespace

NativeStack unwind(LoadedObjects& objects, const Registers& start, const StackBytes& stack,
                   const std::function<bool(os::Address)>& stop) {
  NativeStack out{.registers = start};
  for (bool innermost = true; out.frames.size() < most_frames; innermost = false) {
    const os::Address address = out.registers[Registers::rip];
    out.frames.push_back({address, 0});
    if (stop(address)) {
      out.end = UnwindEnd::reached;
      return out;
    }
    // A return address may be the first byte behind its function: the call is what the rules are
    // for.
    LoadedObject* object = objects.at(innermost ? address : address - 1);
    if (object == nullptr || !object->frames) return out;
    const FrameRule* rule = object->frames->at((innermost ? address : address - 1) - object->bias);
    if (rule == nullptr || rule->registers[Registers::rip].kind != RegisterRule::Kind::at_cfa)
      return out;
    const os::Address cfa = cfa_of(*rule, out.registers);
    // Stacks grow down: a caller's frame that is not above its callee's would make us go round.
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
