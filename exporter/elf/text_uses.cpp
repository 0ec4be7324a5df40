#include "elf/text_uses.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace beam_exporter::elf {

namespace {

constexpr std::size_t longest_opcode = 3;

// The bytes in front of a 32-bit operand that is relative to the next instruction (Intel SDM vol.
// 2).
struct Opcode {
  const std::byte* operand;
  unsigned before(int bytes) const { return std::to_integer<unsigned>(operand[-bytes]); }

  // LEA with REX.W and a memory operand relative to %rip: mod 00 and r/m 101.
  bool is_lea() const {
    return before(2) == 0x8d && (before(3) & 0xfbU) == 0x48 && (before(1) & 0xc7U) == 5;
  }
  bool is_call() const { return before(1) == 0xe8; }
  bool is_jump() const {
    return before(1) == 0xe9 || (before(2) == 0x0f && (before(1) & 0xf0U) == 0x80);
  }
};

}  // namespace

// Calls see(the opcode, its address, where the operand leads) for each byte that could begin an
// operand.
template <class See>
void TextUses::each_operand(const See& see) const {
  constexpr std::size_t operand = sizeof(std::int32_t);
  for (std::size_t at = longest_opcode; at + operand <= code_.bytes.size(); ++at) {
    std::int32_t distance = 0;
    std::memcpy(&distance, code_.bytes.data() + at, operand);
    const std::uint64_t address = code_.begin + at;
    see(Opcode{code_.bytes.data() + at}, address,
        address + operand + static_cast<std::uint64_t>(std::int64_t{distance}));
  }
}

TextUses::TextUses(const Image& image, const NativeSymbols& symbols)
    : symbols_(&symbols),
      constants_(image.section_bytes(".rodata")),
      code_(image.section_bytes(".text")),
      called_(code_.bytes.size()) {
  each_operand([&](Opcode opcode, std::uint64_t address, std::uint64_t to) {
    if (opcode.is_lea() && constants_.range().contains(to)) uses_.push_back({to, address});
    if (opcode.is_call() && code_.range().contains(to)) called_[to - code_.begin] = true;
  });
}

// Linkers let a text share the end of a longer one, so that it may begin anywhere.
bool TextUses::stands_at(std::uint64_t place, std::string_view text) const {
  const auto bytes = std::span(constants_.bytes).subspan(place - constants_.begin);
  return bytes.size() > text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0 &&
         bytes[text.size()] == std::byte{0};
}

bool TextUses::is_called(std::uint64_t place) const {
  return code_.range().contains(place) && called_[place - code_.begin];
}

std::uint64_t TextUses::whole_function(const NativeFunction& user) const {
  // Its symbol or a call of it tells. For others all of the code is looked through.
  const bool named = !user.names.empty() && !user.moved_out;
  if (named || is_called(user.range.begin)) return user.range.begin;
  std::set<std::uint64_t> jumpers;
  each_operand([&](Opcode opcode, std::uint64_t address, std::uint64_t to) {
    if (!opcode.is_jump() || !user.range.contains(to)) return;
    const auto* from = symbols_->at(address);
    if (from != nullptr && from != &user) jumpers.insert(from->range.begin);
  });
  return jumpers.size() == 1 ? *jumpers.begin() : user.range.begin;
}

std::set<std::uint64_t> TextUses::functions_with(std::string_view text) const {
  std::set<const NativeFunction*> users;
  for (const Use& use : uses_) {
    if (!stands_at(use.text, text)) continue;
    if (const auto* user = symbols_->at(use.code)) users.insert(user);
  }
  std::set<std::uint64_t> functions;
  for (const auto* user : users) functions.insert(whole_function(*user));
  return functions;
}

}  // namespace beam_exporter::elf
