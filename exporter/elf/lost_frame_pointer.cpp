#include "elf/lost_frame_pointer.h"

#include <array>
#include <cstring>
#include <span>

namespace beam_exporter::elf {

namespace {

constexpr std::size_t most_searched = std::size_t{32} << 10;
constexpr std::size_t longest_call = 8;
constexpr std::uint8_t direct_call = 0xe8;

using Code = std::span<const std::uint8_t>;

std::int64_t signed32(Code at) {
  std::int32_t value = 0;
  std::memcpy(&value, at.data(), sizeof value);
  return value;
}

// How many bytes `call r/m64` (FF /2, with or without REX) has that begins here; 0: it is none.
std::size_t indirect_call_bytes(Code code) {
  const std::size_t rex = !code.empty() && (code[0] & 0xf0) == 0x40 ? 1 : 0;
  if (code.size() < rex + 2 || code[rex] != 0xff || (code[rex + 1] >> 3 & 7) != 2) return 0;
  const unsigned mode = code[rex + 1] >> 6, base = code[rex + 1] & 7;
  std::size_t bytes = rex + 2;
  if (mode == 3) return bytes;
  const bool scaled = base == 4;
  if (scaled && code.size() <= bytes) return 0;
  const bool no_base = scaled ? (code[bytes] & 7) == 5 : base == 5;
  bytes += scaled ? 1 : 0;
  return bytes + (mode == 1 ? 1 : mode == 2 || no_base ? 4 : 0);
}

enum class Calls { nothing, another, perhaps, it };

// What the code before a return address calls.
class CallBefore {
 public:
  CallBefore(const os::Memory& memory, os::Address function)
      : memory_(&memory), function_(function) {}

  Calls at(os::Address return_address) const {
    std::array<std::uint8_t, longest_call> code{};
    if (return_address < code.size() ||
        !memory_->read(return_address - code.size(), std::as_writable_bytes(std::span(code))))
      return Calls::nothing;
    const Code bytes(code);
    const auto direct = bytes.last(5), by_slot = bytes.last(6);
    if (direct[0] == direct_call)
      return leads_here(return_address + static_cast<std::uint64_t>(signed32(direct.subspan(1))));
    // `call *slot(%rip)`: how code without a PLT calls other files.
    if (by_slot[0] == 0xff && by_slot[1] == 0x15 &&
        holds_function(return_address + static_cast<std::uint64_t>(signed32(by_slot.subspan(2)))))
      return Calls::it;
    for (std::size_t length = 2; length <= bytes.size(); ++length)
      if (indirect_call_bytes(bytes.last(length)) == length) return Calls::perhaps;
    return Calls::nothing;
  }

 private:
  bool holds_function(os::Address slot) const {
    return memory_->value<os::Address>(slot) == function_;
  }

  // An entry of a PLT jumps to the function, by a slot of the GOT: [endbr64] [bnd] jmp *slot(%rip).
  Calls leads_here(os::Address target) const {
    if (target == function_) return Calls::it;
    std::array<std::uint8_t, 11> code{};
    if (!memory_->read(target, std::as_writable_bytes(std::span(code)))) return Calls::nothing;
    constexpr std::array<std::uint8_t, 4> endbr64 = {0xf3, 0x0f, 0x1e, 0xfa};
    std::size_t at = std::memcmp(code.data(), endbr64.data(), endbr64.size()) == 0 ? 4 : 0;
    at += code[at] == 0xf2 ? 1 : 0;
    if (at + 6 > code.size() || code[at] != 0xff || code[at + 1] != 0x25) return Calls::another;
    const os::Address slot =
        target + at + 6 + static_cast<std::uint64_t>(signed32(Code(code).subspan(at + 2)));
    return holds_function(slot) ? Calls::it : Calls::another;
  }

  const os::Memory* memory_;
  os::Address function_;
};

}  // namespace

std::optional<os::Address> find_return_address(LoadedObjects& objects, os::Address address,
                                               os::Address stack_pointer, const StackBytes& stack,
                                               const std::function<bool(os::Address)>& is_end) {
  LoadedObject* object = objects.at(address);
  const auto* function = object != nullptr ? object->symbols().at(address - object->bias) : nullptr;
  if (function == nullptr || function->moved_out) return std::nullopt;
  const CallBefore call(objects.memory(), function->range.begin + object->bias);
  std::optional<os::Address> perhaps;
  const os::Address first = stack_pointer + sizeof(os::Address);  // the saved rbp is below
  for (os::Address slot = first; slot - first < most_searched; slot += sizeof(os::Address)) {
    const auto word = stack.word(slot);
    if (!word) break;
    if (*word == 0 || (objects.at(*word - 1) == nullptr && !is_end(*word))) continue;
    const auto calls = call.at(*word);
    if (calls == Calls::it) return slot;
    if (calls == Calls::perhaps && !perhaps) perhaps = slot;
  }
  return perhaps;
}

}  // namespace beam_exporter::elf
