#include "beam/allocators/inlined_carriers.h"

#include <algorithm>

#include "beam/code/compared_addresses.h"
#include "beam/code/counted_calls.h"

namespace beam_exporter::beam {

namespace {

// More than the code of any ERTS.
constexpr std::uint64_t most_code = 64 << 20;
// The functions that get carriers are shorter (gcc 12 and 16, clang 14).
constexpr std::uint64_t most_function_bytes = 128;

// The calls that count as `function` does, its own among them. Empty where it counts none, or only
// it does.
std::vector<CountedCall> calls_like_its_own(const std::vector<CountedCall>& calls,
                                            os::Address function) {
  const auto is_own = [&](const CountedCall& call) {
    return call.return_to > function && call.return_to <= function + most_function_bytes;
  };
  // The first is its own; later ones may be the next function's, which has another counter.
  const auto first = std::ranges::find_if(calls, is_own);
  if (first == calls.end()) return {};
  std::vector<CountedCall> own, all;
  for (const auto& call : calls)
    if (is_own(call) && call.counter == first->counter) own.push_back(call);
  for (const auto& call : calls)
    if (call.counter == first->counter &&
        std::ranges::find(own, call.function, &CountedCall::function) != own.end())
      all.push_back(call);
  return all.size() > own.size() ? all : std::vector<CountedCall>();
}

bool replace(const CarrierFunction& function, const std::vector<CountedCall>& calls,
             CarrierEntries& entries) {
  const auto like = calls_like_its_own(calls, function.address);
  for (const auto& call : like) {
    const CarrierFunction behind{call.function, function.kind, true};
    if (std::ranges::count(entries.functions, behind) == 0) entries.functions.push_back(behind);
    entries.calls.push_back({call.return_to, call.counted});
  }
  return !like.empty() && entries.calls.size() <= CarrierEntries::most_calls;
}

}  // namespace

std::optional<CarrierEntries> carrier_entries(const std::vector<CarrierFunction>& functions,
                                              const os::Memory& memory, const os::MemoryMap& map) {
  std::vector<os::Address> addresses;
  addresses.reserve(functions.size());
  for (const auto& function : functions) addresses.push_back(function.address);
  std::ranges::sort(addresses);
  std::vector<os::Address> inlined;
  std::vector<CountedCall> calls;
  os::Address end = 0;  // of what was looked through
  for (const auto address : addresses) {
    const auto* code = map.find(address);
    if (address < end || code == nullptr || code->range.size() > most_code) continue;
    std::vector<std::byte> bytes(code->range.size());
    if (!memory.read(code->range.begin, bytes)) continue;
    end = code->range.end;
    const auto compared = compared_addresses(bytes, code->range.begin, addresses);
    if (compared.empty()) continue;
    inlined.insert(inlined.end(), compared.begin(), compared.end());
    const auto counted = counted_calls(bytes, code->range.begin);
    calls.insert(calls.end(), counted.begin(), counted.end());
  }
  CarrierEntries entries;
  for (const auto& function : functions)
    if (std::ranges::count(inlined, function.address) == 0)
      entries.functions.push_back(function);
    else if (!replace(function, calls, entries))
      return std::nullopt;
  return entries;
}

}  // namespace beam_exporter::beam
