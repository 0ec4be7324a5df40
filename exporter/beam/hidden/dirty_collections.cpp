#include "beam/hidden/dirty_collections.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>

#include "beam/code/relative_operands.h"

namespace beam_exporter::beam {

namespace {

// How far gcc 12 to 16, clang 14 and 22 put them apart, in bytes of code: the use and the mutex
// at most 50; the mutex and the scheduler's counters at most 1,208, where gcc has moved the
// part for dirty schedulers behind the rest of garbage_collect (Debian's 29).
constexpr std::size_t near_mutex = 64, near_scheduler = 2048;
// The code of two functions is farther apart: at least 2,200 bytes. The code of one is not:
// Debian's 29 takes the address twice in 14 bytes.
constexpr std::size_t apart = 1024;
constexpr std::size_t enough_places = 2;
// The offset of the counters stands in the code five or six times. More are forged.
constexpr std::size_t most_offsets = 64;
constexpr std::size_t counter_bytes = 8, info_bytes = 2 * counter_bytes;

// Where the code takes the address of a mutex, by mutex.
using Places = std::map<os::Address, std::vector<std::size_t>>;

void find_places(std::span<const std::byte> code, os::Address begin, std::size_t around,
                 std::uint64_t mutex_bytes, Places& places) {
  const std::size_t first = around - std::min(around, near_scheduler);
  const auto piece = code.subspan(first, std::min(code.size(), around + near_scheduler) - first);
  const auto operands = relative_operands(piece, begin + first);
  for (const auto& mutex : operands) {
    if (!takes_address(piece, mutex)) continue;
    const os::Address info = mutex.target + mutex_bytes;
    const bool used = std::ranges::any_of(operands, [&](const RelativeOperand& operand) {
      const std::size_t from = std::min(operand.at, mutex.at), to = std::max(operand.at, mutex.at);
      return to - from <= near_mutex &&
             (operand.target == info || operand.target == info + counter_bytes);
    });
    if (!used) continue;
    auto& known = places[mutex.target];
    const std::size_t place = first + mutex.at;
    if (known.empty() || place > known.back() + apart) known.push_back(place);
  }
}

// Who counts a collection adds what it reclaimed, in words of memory, which has 2^47 bytes. It may
// be less than nothing.
bool are_counters(const os::Memory& memory, os::Address info) {
  const auto counters = memory.value<std::array<std::uint64_t, 2>>(info);
  if (!counters) return false;
  const auto [reclaimed, collections] = *counters;
  return collections < (std::uint64_t{1} << 48) &&
         std::min(reclaimed, 0 - reclaimed) >> 44 <= collections;
}

}  // namespace

std::optional<os::Address> find_dirty_collections(const Layout& layout,
                                                  std::span<const std::byte> code,
                                                  os::Address begin, os::AddressRange data,
                                                  const os::Memory& memory) {
  const auto& counter = layout.scheduler_data.collections;
  const std::uint64_t mutex_bytes = layout.mutex.size;
  if (!counter.present() || mutex_bytes == 0) return std::nullopt;
  Places places;
  std::size_t offsets = 0;
  for (std::size_t at = 0; at + sizeof counter.offset <= code.size(); ++at) {
    std::uint32_t value = 0;
    std::memcpy(&value, &code[at], sizeof value);
    if (value != counter.offset && value + counter_bytes != counter.offset) continue;
    if (++offsets > most_offsets) return std::nullopt;
    find_places(code, begin, at, mutex_bytes, places);
  }
  std::optional<os::Address> found;
  for (const auto& [mutex, where] : places) {
    const os::Address info = mutex + mutex_bytes;
    if (where.size() < enough_places || !data.contains(mutex, mutex_bytes + info_bytes) ||
        !are_counters(memory, info))
      continue;
    if (found) return std::nullopt;
    found = info + counter_bytes;
  }
  return found;
}

}  // namespace beam_exporter::beam
