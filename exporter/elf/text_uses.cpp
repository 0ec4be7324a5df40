#include "elf/text_uses.h"

#include <algorithm>
#include <cstring>
#include <string>

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
      code_(image.section_bytes(".text")) {
  each_operand([&](Opcode opcode, std::uint64_t address, std::uint64_t to) {
    if (opcode.is_lea() && constants_.range().contains(to)) uses_.push_back({to, address});
  });
  std::ranges::sort(uses_);
}

// Linkers let a text share the end of a longer one, so that it may begin anywhere.
std::set<std::uint64_t> TextUses::places_of(std::string_view text) const {
  const std::string_view all(reinterpret_cast<const char*>(constants_.bytes.data()),
                             constants_.bytes.size());
  const std::string wanted = std::string(text) + '\0';
  std::set<std::uint64_t> places;
  for (auto at = all.find(wanted); at != std::string_view::npos; at = all.find(wanted, at + 1))
    places.insert(constants_.begin + at);
  return places;
}

std::uint64_t TextUses::whole_function(const NativeFunction& user) const {
  // Its symbol tells. For others all of the code is looked through.
  if (!user.names.empty() && !user.moved_out) return user.range.begin;
  std::set<std::uint64_t> jumpers;
  bool called = false;
  each_operand([&](Opcode opcode, std::uint64_t address, std::uint64_t to) {
    if (!user.range.contains(to) || !(opcode.is_call() || opcode.is_jump())) return;
    const auto* from = symbols_->at(address);
    if (from == nullptr || from == &user) return;
    if (opcode.is_call() && to == user.range.begin) called = true;
    if (opcode.is_jump()) jumpers.insert(from->range.begin);
  });
  return !called && jumpers.size() == 1 ? *jumpers.begin() : user.range.begin;
}

std::set<std::uint64_t> TextUses::functions_with(std::string_view text) const {
  std::set<const NativeFunction*> users;
  for (const auto place : places_of(text))
    for (auto use = std::ranges::lower_bound(uses_, place, {}, &Use::text);
         use != uses_.end() && use->text == place; ++use)
      if (const auto* user = symbols_->at(use->code)) users.insert(user);
  std::set<std::uint64_t> functions;
  for (const auto* user : users) functions.insert(whole_function(*user));
  return functions;
}

}  // namespace beam_exporter::elf
