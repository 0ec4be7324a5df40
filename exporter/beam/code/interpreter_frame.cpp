#include "beam/code/interpreter_frame.h"

#include <algorithm>
#include <array>
#include <vector>

#include "beam/code/machine_instruction.h"
#include "beam/code/machine_registers.h"

namespace beam_exporter::beam {

namespace {

using Register = os::UserRegisters;
using Place = Interpreter::Place;

// clang 14 -O2: 31 stores of OTP 25 and 32 of 27, of a place that was just loaded; uses of
// operands: 840 and 980.
constexpr std::size_t fewest_stores = 16, fewest_operands = 128;
// A register still has what it was loaded with this many bytes before, if nothing was seen that
// changes it.
constexpr std::size_t reach = 64;
// Of an instruction of the VM: its operands follow its first word.
constexpr std::int32_t largest_operand = 64;

// Words that are further away are not in what is copied of a stack.
bool in_frame(const MachineInstruction& at) {
  return (at.base == Register::rsp && at.displacement >= 0 &&
          at.displacement <= largest_place_offset) ||
         (at.base == Register::rbp && at.displacement < 0 &&
          at.displacement >= -largest_place_offset);
}

bool is_operand(std::int32_t displacement) {
  return displacement > 0 && displacement <= largest_operand && displacement % 8 == 0;
}

class Evidence {
 public:
  // `follows_registers`: a copy of a register stands for it too, as in code that gcc has not
  // optimized. clang's copies are what it has moved elsewhere.
  Evidence(std::int32_t stop, bool follows_registers)
      : stop_(stop), follows_registers_(follows_registers) {}

  void read(std::span<const std::byte> code) {
    for (std::size_t at = 0; at < code.size();) {
      const MachineInstruction instruction = decode(code.subspan(at));
      if (instruction.kind != MachineInstruction::Kind::other) see(instruction, at);
      at += instruction.length;
    }
  }

  // clang changes it in registers, from and to one word.
  std::optional<Place> stack() const {
    const auto word = dominant(stored_, fewest_stores, false);
    return word ? word : dominant(stored_, fewest_stores, true);
  }
  std::optional<Place> instruction() const { return dominant(operands_, fewest_operands, true); }

 private:
  struct Loaded {
    std::optional<Place> from;
    std::size_t at = 0;
  };
  struct Votes {
    Place place;
    std::size_t number = 0;
  };
  using Ballot = std::vector<Votes>;

  void see(const MachineInstruction& instruction, std::size_t at) {
    using Kind = MachineInstruction::Kind;
    const bool uses_operand =
        (instruction.kind == Kind::load || instruction.kind == Kind::address) &&
        instruction.base != Register::rsp && !in_frame(instruction);
    if ((uses_operand || instruction.kind == Kind::add) && is_operand(instruction.displacement))
      vote(operands_, origin(instruction.base, at));
    if (instruction.kind == Kind::store) {
      if (instruction.displacement == stop_ && instruction.base != Register::rsp)
        vote(stored_, origin(instruction.reg, at));
      return;
    }
    Loaded& changed = loaded_[instruction.reg];
    if (instruction.kind == Kind::load && in_frame(instruction))
      changed = {Place(instruction.base, instruction.displacement), at};
    else if (instruction.kind == Kind::copy)
      changed =
          follows_registers_ ? Loaded{origin(instruction.base, at), at} : loaded_[instruction.base];
    else
      changed = {};
  }

  // Where the value of a register comes from.
  Place origin(Register::Index index, std::size_t at) const {
    const Loaded& loaded = loaded_[index];
    return loaded.from && at - loaded.at <= reach ? *loaded.from : Place(index);
  }

  static void vote(Ballot& ballot, const Place& place) {
    const auto known = std::ranges::find(ballot, place, &Votes::place);
    if (known == ballot.end())
      ballot.push_back({place, 1});
    else
      ++known->number;
  }

  // Registers that C functions do not preserve hold nothing for long.
  static std::optional<Place> dominant(const Ballot& ballot, std::size_t fewest, bool registers) {
    std::size_t sum = 0;
    const Votes* most = nullptr;
    for (const auto& votes : ballot) {
      if (!votes.place.in_frame && (!registers || !is_preserved(votes.place.base))) continue;
      sum += votes.number;
      if (most == nullptr || votes.number > most->number) most = &votes;
    }
    if (most == nullptr || most->number < fewest || most->number * 3 < sum * 2) return std::nullopt;
    return most->place;
  }

  std::int32_t stop_;
  bool follows_registers_;
  std::array<Loaded, Register::count> loaded_{};
  Ballot stored_, operands_;
};

}  // namespace

std::optional<Interpreter::Places> interpreter_frame(const Layout& layout,
                                                     std::span<const std::byte> code) {
  for (const bool follows_registers : {false, true}) {
    Evidence evidence(static_cast<std::int32_t>(layout.process.stop.offset), follows_registers);
    evidence.read(code);
    const auto stack = evidence.stack(), instruction = evidence.instruction();
    if (stack && instruction && *stack != *instruction)
      return Interpreter::Places{*instruction, *stack, false};
  }
  return std::nullopt;
}

}  // namespace beam_exporter::beam
