#include "beam/code/runtime_call.h"

#include <algorithm>
#include <array>

namespace beam_exporter::beam {

namespace {

template <std::size_t N>
std::size_t first(std::span<const std::byte> code, const std::array<std::uint8_t, N>& instruction) {
  const auto found = std::ranges::search(code, instruction, [](std::byte have, std::uint8_t want) {
    return std::to_integer<std::uint8_t>(have) == want;
  });
  return static_cast<std::size_t>(found.begin() - code.begin());
}

}  // namespace

SavedStackPointer saved_stack_pointer(const Layout& layout,
                                      std::span<const std::byte> code_behind_call) {
  constexpr std::array<std::uint8_t, 3> mov_rsp_rbp = {0x48, 0x89, 0xec};
  const std::uint32_t stop = layout.process.stop.offset;
  if (stop > 127) return SavedStackPointer::unknown;  // would be encoded with a longer displacement
  const std::array<std::uint8_t, 4> mov_rsp_stop = {0x49, 0x8b, 0x65,
                                                    static_cast<std::uint8_t>(stop)};
  const std::size_t from_register = first(code_behind_call, mov_rsp_rbp);
  const std::size_t from_process = first(code_behind_call, mov_rsp_stop);
  if (from_register == from_process) return SavedStackPointer::unknown;  // neither
  return from_register < from_process ? SavedStackPointer::in_register
                                      : SavedStackPointer::in_process;
}

}  // namespace beam_exporter::beam
