#include "beam/code/interpreter_frame.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

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

// MOV, LEA or ADD of 64 bits (Intel SDM vol. 2), with a register and a word in memory, or with two
// registers, or a constant of 8 bits.
struct Instruction {
  enum class Kind { other, load, store, address, copy, add };
  Kind kind = Kind::other;
  std::size_t length = 1;
  Register::Index reg = Register::rax, base = Register::rax;  // of a copy: to and from
  std::int32_t displacement = 0;                              // or the constant
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Instruction decode() const {
    Instruction out;
    if ((byte(0) & 0xf8U) != 0x48) return out;
    const unsigned opcode = byte(1), modrm = byte(2), mod = modrm >> 6;
    const auto reg = numbered((modrm >> 3) & 7U, 4), rm = numbered(modrm & 7U, 1);
    if (opcode == 0x83 && mod == 3 && (modrm & 0x38U) == 0)
      return {Instruction::Kind::add, 4, rm, rm, extended(byte(3))};
    if (opcode != 0x8b && opcode != 0x89 && opcode != 0x8d) return out;
    if (mod == 3)
      return opcode == 0x8b   ? Instruction{Instruction::Kind::copy, 3, reg, rm}
             : opcode == 0x89 ? Instruction{Instruction::Kind::copy, 3, rm, reg}
                              : out;
    out.kind = opcode == 0x8b   ? Instruction::Kind::load
               : opcode == 0x89 ? Instruction::Kind::store
                                : Instruction::Kind::address;
    out.reg = reg;
    return with_memory(out, modrm, mod);
  }

 private:
  static std::int32_t extended(unsigned byte) {
    return static_cast<std::int32_t>(byte ^ 0x80U) - 0x80;
  }
  unsigned byte(std::size_t k) const {
    return k < bytes_.size() ? std::to_integer<unsigned>(bytes_[k]) : 0;
  }
  Register::Index numbered(unsigned low, unsigned extension) const {
    return register_by_number[low | ((byte(0) & extension) != 0 ? 8U : 0U)];
  }

  // [base + displacement]; with an index, or relative to rip, it is no place of interest.
  Instruction with_memory(Instruction out, unsigned modrm, unsigned mod) const {
    std::size_t at = 3;
    unsigned base = modrm & 7U;
    if (base == 4) {
      const unsigned sib = byte(at++);
      base = sib & 7U;
      if (((sib >> 3) & 7U) != 4 || (byte(0) & 2U) != 0) return indexed(out);
    }
    if (mod == 0 && base == 5) return indexed(out);
    out.base = numbered(base, 1);
    if (mod == 1) out.displacement = extended(byte(at++));
    if (mod == 2) {
      if (at + sizeof out.displacement > bytes_.size()) return {};
      std::memcpy(&out.displacement, &bytes_[at], sizeof out.displacement);
      at += sizeof out.displacement;
    }
    out.length = at;
    return out;
  }
  // Its register changes all the same.
  static Instruction indexed(Instruction out) {
    if (out.kind == Instruction::Kind::store) return {};
    return {Instruction::Kind::add, 1, out.reg, out.reg, -1};
  }

  std::span<const std::byte> bytes_;
};

// Words that are further away are not in what is copied of a stack.
bool in_frame(const Instruction& at) {
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
      const Instruction instruction = Decoder(code.subspan(at)).decode();
      if (instruction.kind != Instruction::Kind::other) see(instruction, at);
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

  void see(const Instruction& instruction, std::size_t at) {
    using Kind = Instruction::Kind;
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
