#include "elf/leave_frame.h"

#include <optional>

namespace beam_exporter::elf {

namespace {

using Registers = os::UserRegisters;

std::optional<os::Address> cfa_of(const FrameRule& rule, const StackBytes& stack,
                                  const Registers& registers) {
  if (rule.cfa_expression) return rule.cfa_expression->value(registers, stack);
  return registers.value[rule.cfa_register] + static_cast<std::uint64_t>(rule.cfa_offset);
}

}  // namespace

bool leave_frame(const FrameRule& rule, const StackBytes& stack, Registers& registers) {
  using Kind = RegisterRule::Kind;
  const auto cfa = cfa_of(rule, stack, registers);
  // Stacks grow down. If the caller's frame is not above the callee's, the stack would be a cycle.
  if (!cfa || *cfa <= registers[Registers::rsp]) return false;
  Registers caller = registers;
  for (std::size_t number = 0; number < Registers::count; ++number) {
    const auto [kind, offset] = rule.registers[number];
    if (kind != Kind::at_cfa && kind != Kind::computed) continue;
    const auto slot =
        kind == Kind::at_cfa
            ? *cfa + static_cast<std::uint64_t>(std::int64_t{offset})
            : rule.expressions[static_cast<std::size_t>(offset)].value(registers, stack, *cfa);
    // The epilogue has popped it already: gcc keeps the rule, but the register holds the value.
    if (slot && *slot < registers[Registers::rsp]) continue;
    const auto saved = slot ? stack.word(*slot) : std::nullopt;
    if (!saved) return false;
    caller.value[number] = *saved;
  }
  caller.value[Registers::rsp] = *cfa;
  registers = caller;
  return true;
}

}  // namespace beam_exporter::elf
