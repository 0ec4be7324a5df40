#include "beam/hidden/jit_code.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <span>
#include <vector>

#include "beam/code/code_ranges.h"
#include "beam/code/jit_area.h"

namespace beam_exporter::beam {

namespace {

// The shared code has some 40 KiB (OTP 29).
constexpr std::size_t shared_code_bytes = 64 << 10;
constexpr std::size_t most_areas = 16;

using Bytes = std::span<const std::byte>;

bool begins_with(Bytes code, std::initializer_list<unsigned> pattern) {
  if (code.size() < pattern.size()) return false;
  std::size_t at = 0;
  for (const unsigned byte : pattern)
    if (std::to_integer<unsigned>(code[at++]) != byte) return false;
  return true;
}

template <class T>
T value_at(Bytes code, std::size_t at) {
  T value{};
  if (at + sizeof value <= code.size()) std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

// mov rdi, imm64; mov edi, [rdi] (Intel SDM vol. 2). The immediate that most often stands there, if
// an index is there.
std::optional<os::Address> active_code_index(const HiddenVm& vm, Bytes code) {
  constexpr std::size_t read_bytes = 12;
  const os::AddressRange data{vm.data.begin(), vm.data.address_of(vm.data.words().size())};
  std::map<os::Address, int> places;
  for (std::size_t at = 0; at + read_bytes <= code.size(); ++at) {
    if (!begins_with(code.subspan(at), {0x48, 0xbf}) ||
        !begins_with(code.subspan(at + 10), {0x8b, 0x3f}))
      continue;
    const auto place = value_at<os::Address>(code, at + 2);
    const auto index = data.contains(place) ? vm.memory.value<std::uint32_t>(place) : std::nullopt;
    if (index && *index < code_indexes) ++places[place];
  }
  std::optional<os::Address> best;
  for (const auto& [place, times] : places)
    if (!best || times > places[*best]) best = place;
  return best;
}

constexpr std::size_t call_bytes = 6;  // at most

// call [rip + to] or call to, at `at` in code that begins at `begin`.
struct Call {
  std::size_t after = 0;  // where the next instruction is
  std::optional<os::Address> target;
};
std::optional<Call> call_at(const os::Memory& memory, os::Address begin, Bytes code,
                            std::size_t at) {
  const bool indirect = begins_with(code.subspan(at), {0xff, 0x15});
  if (!indirect && !begins_with(code.subspan(at), {0xe8})) return std::nullopt;
  const std::size_t operand = at + (indirect ? 2 : 1), after = operand + sizeof(std::int32_t);
  if (after > code.size()) return std::nullopt;
  const os::Address to =
      begin + after +
      static_cast<std::uint64_t>(std::int64_t{value_at<std::int32_t>(code, operand)});
  if (!indirect) return Call{after, to};
  // Its pointers mostly stand behind the code that uses them.
  if (to >= begin && to - begin < code.size())
    return Call{after, value_at<os::Address>(code, to - begin)};
  return Call{after, memory.value<os::Address>(to)};
}

// mov rsi, r13; the call; mov r13, rax: the running process is given away, the next one comes back.
std::optional<os::Address> schedule(const HiddenVm& vm, os::Address begin, Bytes code) {
  std::optional<os::Address> found;
  for (std::size_t at = 0; at + 3 <= code.size(); ++at) {
    if (!begins_with(code.subspan(at), {0x4c, 0x89, 0xee})) continue;
    const auto call = call_at(vm.memory, begin, code, at + 3);
    if (!call || !begins_with(code.subspan(call->after), {0x49, 0x89, 0xc5})) continue;
    if (!call->target || found) return std::nullopt;
    found = call->target;
  }
  return found;
}

}  // namespace

CodeGlobals find_jit_globals(const HiddenVm& vm) {
  std::vector<std::byte> code(shared_code_bytes);
  for (const auto& mapping : vm.map.mappings()) {
    if (!may_be_jit_area(mapping) || mapping.range.size() < shared_code_bytes ||
        !vm.memory.read(mapping.range.begin, code))
      continue;
    if (const auto index = active_code_index(vm, code))
      return {std::nullopt, index, schedule(vm, mapping.range.begin, code)};
  }
  return {};
}

std::set<os::Address> called_by_jit(const os::Memory& memory, const os::MemoryMap& map,
                                    os::AddressRange code) {
  std::set<os::Address> called;
  std::vector<std::byte> bytes;
  std::size_t areas = 0;
  for (const auto& mapping : map.mappings()) {
    if (!may_be_jit_area(mapping) || areas++ == most_areas) continue;
    bytes.resize(std::min<std::uint64_t>(shared_code_bytes, mapping.range.size()));
    if (!memory.read(mapping.range.begin, bytes)) continue;
    for (std::size_t at = 0; at + call_bytes <= bytes.size(); ++at) {
      const auto call = call_at(memory, mapping.range.begin, bytes, at);
      if (call && call->target && code.contains(*call->target)) called.insert(*call->target);
    }
  }
  return called;
}

}  // namespace beam_exporter::beam
