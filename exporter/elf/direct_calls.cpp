#include "elf/direct_calls.h"

#include <algorithm>
#include <cstring>

namespace beam_exporter::elf {

namespace {

constexpr std::byte call_rel32{0xe8}, jump_rel32{0xe9};
constexpr std::size_t instruction_bytes = 5;

}  // namespace

DirectCalls DirectCalls::read(const Image& image, const NativeSymbols& symbols) {
  DirectCalls out;
  const auto text = image.section_bytes(".text");
  const auto& code = text.bytes;
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); ++at) {
    if (code[at] != call_rel32 && code[at] != jump_rel32) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, code.data() + at + 1, sizeof distance);
    const std::uint64_t from = text.begin + at;
    const std::uint64_t to =
        from + instruction_bytes + static_cast<std::uint64_t>(std::int64_t{distance});
    if (!text.range().contains(to)) continue;
    const auto* callee = symbols.beginning_at(to);
    const auto* caller = callee != nullptr ? symbols.at(from) : nullptr;
    if (caller != nullptr && caller != callee)
      out.pairs_.push_back({caller->range.begin, callee->range.begin});
  }
  std::ranges::sort(out.pairs_);
  out.pairs_.erase(std::unique(out.pairs_.begin(), out.pairs_.end()), out.pairs_.end());
  return out;
}

bool DirectCalls::calls(std::uint64_t caller, std::uint64_t callee) const {
  return std::ranges::binary_search(pairs_, Pair{caller, callee});
}

std::set<std::uint64_t> DirectCalls::called_by(std::uint64_t caller) const {
  std::set<std::uint64_t> callees;
  for (auto pair = std::ranges::lower_bound(pairs_, caller, {}, &Pair::caller);
       pair != pairs_.end() && pair->caller == caller; ++pair)
    callees.insert(pair->callee);
  return callees;
}

std::set<std::uint64_t> DirectCalls::callers_of(std::uint64_t callee) const {
  std::set<std::uint64_t> callers;
  for (const auto& pair : pairs_)
    if (pair.callee == callee) callers.insert(pair.caller);
  return callers;
}

}  // namespace beam_exporter::elf
