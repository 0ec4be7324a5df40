#include "beam/code/interpreter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "beam/code/interpreter_frame.h"
#include "beam/code/machine_instruction.h"
#include "beam/code/machine_registers.h"

namespace beam_exporter::beam {

namespace {

using Register = os::UserRegisters;

// 48 KB in OTP 23, 61 KB in 25; a bound for what a forged symbol makes us read.
constexpr std::uint64_t largest_interpreter = 4 << 20;
// Loads and stores of Process.stop: some 150 in OTP 23. Instructions that advance `I`: some 240.
constexpr std::size_t fewest_uses = 32;

// Of Process.stop, between it and a register.
bool moves(const MachineInstruction& instruction, std::int32_t stop) {
  using Kind = MachineInstruction::Kind;
  return (instruction.kind == Kind::load || instruction.kind == Kind::store) &&
         instruction.displacement == stop;
}

// LEA r, [r + n] or ADD r, n, with n in whole words.
bool advances(const MachineInstruction& instruction) {
  using Kind = MachineInstruction::Kind;
  const bool of_itself = instruction.kind == Kind::add ||
                         (instruction.kind == Kind::address && instruction.reg == instruction.base);
  return of_itself && instruction.displacement > 0 && instruction.displacement < 0x80 &&
         instruction.displacement % sizeof(Eterm) == 0;
}

using Counts = std::array<std::size_t, Register::count>;

// The preserved register that has nearly all uses by preserved registers. The others hold values
// for a few instructions only.
std::optional<Register::Index> dominant(const Counts& counts) {
  std::size_t sum = 0;
  auto most = Register::rbx;
  for (const auto index : register_by_number) {
    if (!is_preserved(index)) continue;
    sum += counts[index];
    if (counts[index] > counts[most]) most = index;
  }
  if (counts[most] < fewest_uses || counts[most] * 4 < sum * 3) return std::nullopt;
  return most;
}

bool begins_instruction(os::AddressRange code, std::uint64_t word) {
  return code.contains(word) || code.contains(static_cast<std::uint32_t>(word));
}

}  // namespace

std::optional<Interpreter::Places> interpreter_registers(const Layout& layout,
                                                         std::span<const std::byte> code) {
  const auto stop = static_cast<std::int32_t>(layout.process.stop.offset);
  if (stop > 127) return std::nullopt;  // the instructions would have a longer displacement
  Counts moved{}, advanced{};
  for (std::size_t at = 0; at < code.size(); ++at) {
    const MachineInstruction instruction = decode(code.subspan(at));
    if (moves(instruction, stop)) ++moved[instruction.reg];
    if (advances(instruction)) ++advanced[instruction.reg];
  }
  const auto stack = dominant(moved), instruction = dominant(advanced);
  if (!stack || !instruction || *stack == *instruction) return std::nullopt;
  return Interpreter::Places{*instruction, *stack};
}

os::Result<Interpreter> find_interpreter(const Layout& layout, const os::Memory& memory,
                                         os::AddressRange code, const ForcedPlaces& forced) {
  std::vector<std::byte> bytes(std::min(code.size(), largest_interpreter));
  if (!memory.read(code.begin, bytes))
    return os::Error{os::ErrorKind::unreadable, "cannot read the code of process_main"};
  auto places = interpreter_registers(layout, bytes);
  if (!places) places = interpreter_frame(layout, bytes);
  if (!places && forced.instruction && forced.stack) places.emplace();
  if (!places)
    return os::Error{os::ErrorKind::unsupported,
                     "the code of process_main does not prove where it keeps the next instruction, "
                     "I, and the stack pointer, E: say it by --force-register=I=PLACE and "
                     "--force-register=E=PLACE, such as I=r12 and E=rsp+8 (README.md, Supported)"};
  if (forced.any())
    places = {forced.instruction.value_or(places->instruction),
              forced.stack.value_or(places->stack), false};
  return Interpreter{code, *places};
}

bool Interpreter::is_instruction(const os::Memory& memory, os::Address address) const {
  if (address % sizeof(Eterm) != 0) return false;
  const auto word = memory.value<std::uint64_t>(address);
  return word && begins_instruction(code, *word);
}

std::optional<os::Address> Interpreter::instruction_in(const os::Memory& memory,
                                                       const os::UserRegisters& registers,
                                                       bool on_top) const {
  std::array<std::uint64_t, register_by_number.size()> words{};
  std::vector<os::ReadRequest> requests;
  for (const auto index : register_by_number)
    if (registers[index] % sizeof(Eterm) == 0 && (on_top || is_preserved(index)))
      requests.push_back({registers[index], os::bytes_of(words[requests.size()])});
  memory.read_batch(requests);
  for (std::size_t k = 0; k < requests.size(); ++k)
    if (requests[k].ok && begins_instruction(code, words[k])) return requests[k].from;
  return std::nullopt;
}

}  // namespace beam_exporter::beam
