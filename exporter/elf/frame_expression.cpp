#include "elf/frame_expression.h"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <utility>

namespace beam_exporter::elf {

namespace {

using Registers = os::UserRegisters;
using Operation = FrameExpression::Operation;

constexpr std::size_t most_operations = 32;

bool is_literal(unsigned atom) { return atom >= DW_OP_lit0 && atom <= DW_OP_lit31; }
bool is_constant(unsigned atom) { return atom >= DW_OP_const1u && atom <= DW_OP_consts; }
bool is_register(unsigned atom) {
  return atom >= DW_OP_breg0 && atom < DW_OP_breg0 + unsigned{Registers::count};
}
bool takes_two(unsigned atom) {
  constexpr std::array<unsigned, 6> known = {DW_OP_and,  DW_OP_minus, DW_OP_mul,
                                             DW_OP_plus, DW_OP_shl,   DW_OP_ge};
  return std::ranges::find(known, atom) != known.end();
}

bool is_known(const Operation& operation) {
  const unsigned atom = operation.atom;
  if (atom == DW_OP_bregx) return operation.number < Registers::count;
  return is_literal(atom) || is_constant(atom) || is_register(atom) || takes_two(atom) ||
         atom == DW_OP_call_frame_cfa || atom == DW_OP_deref || atom == DW_OP_plus_uconst;
}

std::uint64_t of_two(unsigned atom, std::uint64_t first, std::uint64_t second) {
  switch (atom) {
    case DW_OP_and:
      return first & second;
    case DW_OP_minus:
      return first - second;
    case DW_OP_mul:
      return first * second;
    case DW_OP_shl:
      return second < 64 ? first << second : 0;
    case DW_OP_ge:
      return static_cast<std::int64_t>(first) >= static_cast<std::int64_t>(second) ? 1 : 0;
    default:
      return first + second;
  }
}

// Of an operation that takes nothing from the stack of values.
std::uint64_t of_none(const Operation& operation, const Registers& registers, std::uint64_t cfa) {
  if (operation.atom == DW_OP_call_frame_cfa) return cfa;
  if (operation.atom == DW_OP_bregx) return registers.value[operation.number] + operation.second;
  if (is_register(operation.atom))
    return registers.value[operation.atom - DW_OP_breg0] + operation.number;
  return is_literal(operation.atom) ? operation.atom - unsigned{DW_OP_lit0} : operation.number;
}

}  // namespace

std::optional<FrameExpression> FrameExpression::of(std::vector<Operation> operations) {
  if (operations.empty() || operations.size() > most_operations ||
      !std::ranges::all_of(operations, is_known))
    return std::nullopt;
  return FrameExpression(std::move(operations));
}

std::optional<std::uint64_t> FrameExpression::value(const Registers& registers,
                                                    const StackBytes& stack,
                                                    std::uint64_t cfa) const {
  std::array<std::uint64_t, most_operations> values{};
  std::size_t count = 0;
  for (const auto& operation : operations_) {
    const unsigned atom = operation.atom;
    if (takes_two(atom)) {
      if (count < 2) return std::nullopt;
      --count;
      values[count - 1] = of_two(atom, values[count - 1], values[count]);
    } else if (atom == DW_OP_deref || atom == DW_OP_plus_uconst) {
      if (count < 1) return std::nullopt;
      auto& top = values[count - 1];
      if (atom == DW_OP_plus_uconst) {
        top += operation.number;
      } else {
        const auto word = stack.word(top);
        if (!word) return std::nullopt;
        top = *word;
      }
    } else {
      values[count++] = of_none(operation, registers, cfa);
    }
  }
  return count > 0 ? std::optional(values[count - 1]) : std::nullopt;
}

}  // namespace beam_exporter::elf
