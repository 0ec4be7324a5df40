#include "beam/code/runtime_call.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace beam_exporter::beam {

namespace {

template <std::size_t N>
std::size_t first(std::span<const std::byte> code, const std::array<std::uint8_t, N>& instruction) {
  const auto same = [](std::byte have, std::uint8_t want) {
    return std::to_integer<std::uint8_t>(have) == want;
  };
  const auto found =
      std::search(code.begin(), code.end(), instruction.begin(), instruction.end(), same);
  return static_cast<std::size_t>(found - code.begin());
}

}  // namespace

SavedStackPointer saved_stack_pointer(const Layout& layout,
                                      std::span<const std::byte> code_behind_call) {
  constexpr std::array<std::uint8_t, 3> mov_rsp_rbp = {0x48, 0x89, 0xec},
                                        mov_rsp_r12 = {0x4c, 0x89, 0xe4};
  const std::uint32_t stop = layout.process.stop.offset;
  if (stop > 127)
    return SavedStackPointer::unknown;  // the instruction would have a longer displacement
  const std::array<std::uint8_t, 4> mov_rsp_stop = {0x49, 0x8b, 0x65,
                                                    static_cast<std::uint8_t>(stop)};
  const std::size_t from_rbp = first(code_behind_call, mov_rsp_rbp);
  const std::size_t from_r12 = first(code_behind_call, mov_rsp_r12);
  const std::size_t from_process = first(code_behind_call, mov_rsp_stop);
  const std::size_t nearest = std::min({from_rbp, from_r12, from_process});
  if (nearest == code_behind_call.size()) return SavedStackPointer::unknown;
  if (nearest == from_process) return SavedStackPointer::in_process;
  return nearest == from_rbp ? SavedStackPointer::in_rbp : SavedStackPointer::in_r12;
}

std::optional<os::UserRegisters::Index> register_of(SavedStackPointer saved) {
  switch (saved) {
    case SavedStackPointer::in_rbp:
      return os::UserRegisters::rbp;
    case SavedStackPointer::in_r12:
      return os::UserRegisters::r12;
    case SavedStackPointer::in_process:
    case SavedStackPointer::unknown:
      break;
  }
  return std::nullopt;
}

}  // namespace beam_exporter::beam
