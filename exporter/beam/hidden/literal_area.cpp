#include "beam/hidden/literal_area.h"

namespace beam_exporter::beam {

namespace {

// gcc 12 and 16 put the two words 7 to 62 bytes of code apart, clang 14 up to 47. There are 36 such
// places with gcc and 45 with clang (OTP 28 and 29).
constexpr std::size_t near_start = 64;
constexpr std::size_t enough_questions = 8;

bool is_reserved(const os::MemoryMap& map, os::AddressRange range) {
  for (os::Address at = range.begin; at < range.end;) {
    const auto* mapping = map.find(at);
    if (mapping == nullptr || mapping->inode != 0 || mapping->executable) return false;
    at = mapping->range.end;
  }
  return true;
}

bool may_be_area(const os::MemoryMap& map, std::uint64_t start, std::uint64_t size) {
  constexpr std::uint64_t page_bytes = 4096, user_space = std::uint64_t{1} << 47;
  return start != 0 && size != 0 && start % page_bytes == 0 && size % page_bytes == 0 &&
         start < user_space && size < user_space && is_reserved(map, {start, start + size});
}

bool are_used_together(std::span<const RelativeOperand> operands, os::Address start,
                       os::Address size) {
  std::size_t places = 0;
  const RelativeOperand* last = nullptr;
  for (const auto& operand : operands) {
    if (operand.target != start && operand.target != size) continue;
    if (last != nullptr && last->target != operand.target && operand.at - last->at <= near_start)
      ++places;
    last = &operand;
  }
  return places >= enough_questions;
}

}  // namespace

std::optional<LiteralArea> find_literal_area(DataWords data,
                                             std::span<const RelativeOperand> operands,
                                             const os::MemoryMap& map) {
  std::optional<LiteralArea> found;
  const auto try_words = [&](std::size_t start, std::size_t size) {
    const std::uint64_t begin = data.words[start], bytes = data.words[size];
    if (!may_be_area(map, begin, bytes)) return true;
    const os::Address start_at = data.begin + start * sizeof(std::uint64_t),
                      size_at = data.begin + size * sizeof(std::uint64_t);
    if (!are_used_together(operands, start_at, size_at)) return true;
    if (found) return false;
    found = {start_at, size_at, {begin, begin + bytes}};
    return true;
  };
  // gcc puts the size first, clang the start.
  for (std::size_t k = 0; k + 1 < data.words.size(); ++k)
    if (!try_words(k, k + 1) || !try_words(k + 1, k)) return std::nullopt;
  return found;
}

}  // namespace beam_exporter::beam
