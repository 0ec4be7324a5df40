#include "beam/code/interpreter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "beam/code/interpreter_frame.h"
#include "beam/code/machine_registers.h"

namespace beam_exporter::beam {

namespace {

using Register = os::UserRegisters;

// 48 KB in OTP 23, 61 KB in 25; a bound for what a forged symbol makes us read.
constexpr std::uint64_t largest_interpreter = 4 << 20;
// Loads and stores of Process.stop: some 150 in OTP 23. Instructions that advance `I`: some 240.
constexpr std::size_t fewest_uses = 32;
constexpr std::size_t instruction_bytes = 5;

// An instruction with REX.W, ModRM, and a displacement or constant of 8 bits.
class WideInstruction {
 public:
  explicit WideInstruction(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool valid() const { return (byte(0) & 0xf8U) == 0x48; }
  // MOV between a register and Process.stop: which register.
  std::optional<unsigned> moves(std::uint32_t displacement) const {
    const bool is_move = byte(1) == 0x8b || byte(1) == 0x89;
    if (!is_move || mod() != 1 || last_byte() != displacement) return std::nullopt;
    return reg();
  }
  // LEA r, [r + n] or ADD r, n, with n in whole words: which register.
  std::optional<unsigned> advances() const {
    const bool is_lea = byte(1) == 0x8d && mod() == 1 && reg() == rm();
    const bool is_add = byte(1) == 0x83 && mod() == 3 && (byte(2) & 0x38U) == 0;
    if ((!is_lea && !is_add) || last_byte() == 0 || last_byte() % sizeof(Eterm) != 0 ||
        last_byte() >= 0x80)
      return std::nullopt;
    return rm();
  }

 private:
  unsigned byte(std::size_t k) const { return std::to_integer<unsigned>(bytes_[k]); }
  unsigned mod() const { return byte(2) >> 6; }
  unsigned reg() const { return ((byte(2) >> 3) & 7U) | (byte(0) & 4U) << 1; }
  unsigned rm() const { return (byte(2) & 7U) | (byte(0) & 1U) << 3; }
  // A SIB byte is in front of it when the base is rsp or r12.
  unsigned last_byte() const { return mod() != 3 && (byte(2) & 7U) == 4 ? byte(4) : byte(3); }

  std::span<const std::byte> bytes_;
};

using Counts = std::array<std::size_t, register_by_number.size()>;

// The preserved register that has nearly all uses by preserved registers. The others hold values
// for a few instructions only.
std::optional<Register::Index> dominant(const Counts& counts) {
  std::size_t sum = 0, most = 0, number = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (!is_preserved(register_by_number[k])) continue;
    sum += counts[k];
    if (counts[k] > most) most = counts[number = k];
  }
  if (most < fewest_uses || most * 4 < sum * 3) return std::nullopt;
  return register_by_number[number];
}

bool begins_instruction(os::AddressRange code, std::uint64_t word) {
  return code.contains(word) || code.contains(static_cast<std::uint32_t>(word));
}

}  // namespace

std::optional<Interpreter::Places> interpreter_registers(const Layout& layout,
                                                         std::span<const std::byte> code) {
  const std::uint32_t stop = layout.process.stop.offset;
  if (stop > 127) return std::nullopt;  // the instructions would have a longer displacement
  Counts moved{}, advanced{};
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); ++at) {
    const WideInstruction instruction(code.subspan(at, instruction_bytes));
    if (!instruction.valid()) continue;
    if (const auto number = instruction.moves(stop)) ++moved[*number];
    if (const auto number = instruction.advances()) ++advanced[*number];
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
