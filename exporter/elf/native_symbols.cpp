#include "elf/native_symbols.h"

#include <algorithm>
#include <iterator>

#include "elf/function_bounds.h"

namespace beam_exporter::elf {

namespace {

using Ranges = std::vector<os::AddressRange>;

// Functions that are not in .eh_frame, as those of musl's libc and of assembly, have bounds where
// their symbols have a size. Ascending; each ends where the next one begins, at the latest.
Ranges bounds_by_symbols(const Image& image, const Ranges& covered) {
  Ranges bare;
  for (const auto& [name, local, symbol] : image.functions()) {
    const auto after =
        std::ranges::upper_bound(covered, symbol.value, {}, &os::AddressRange::begin);
    const bool known = after != covered.begin() && std::prev(after)->contains(symbol.value);
    const auto end = os::checked_add(symbol.value, symbol.size);
    if (known || !end || symbol.size == 0) continue;
    bare.push_back({symbol.value, after == covered.end() ? *end : std::min(*end, after->begin)});
  }
  std::ranges::stable_sort(bare, {}, &os::AddressRange::begin);
  const auto same = [](const auto& one, const auto& other) { return one.begin == other.begin; };
  bare.erase(std::unique(bare.begin(), bare.end(), same), bare.end());
  for (std::size_t k = 1; k < bare.size(); ++k)
    bare[k - 1].end = std::min(bare[k - 1].end, bare[k].begin);
  return bare;
}

Ranges all_bounds(const Image& image) {
  auto all = function_bounds(image);
  const auto bare = bounds_by_symbols(image, all);
  all.insert(all.end(), bare.begin(), bare.end());
  std::ranges::stable_sort(all, {}, &os::AddressRange::begin);
  return all;
}

}  // namespace

bool NativeFunction::is(std::string_view name) const {
  return std::ranges::find(names, name) != names.end();
}

NativeSymbols NativeSymbols::read(const Image& image) {
  NativeSymbols out;
  for (const auto& range : all_bounds(image)) out.functions_.push_back({range, {}});
  for (const auto& [name, local, symbol] : image.functions()) {
    const auto at =
        std::ranges::lower_bound(out.functions_, symbol.value, {},
                                 [](const NativeFunction& each) { return each.range.begin; });
    if (at == out.functions_.end() || at->range.begin != symbol.value) continue;
    const std::string plain(name.substr(0, name.find('.')));
    if (plain.empty()) continue;
    at->moved_out |= name.find(".cold") != std::string_view::npos;
    at->exported |= !local;
    if (!at->is(plain)) at->names.push_back(plain);
  }
  return out;
}

const NativeFunction* NativeSymbols::at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(
      functions_, address, {}, [](const NativeFunction& each) { return each.range.begin; });
  if (after == functions_.begin() || address >= std::prev(after)->range.end) return nullptr;
  return &*std::prev(after);
}

const NativeFunction* NativeSymbols::beginning_at(std::uint64_t address) const {
  const auto* function = at(address);
  return function != nullptr && function->range.begin == address ? function : nullptr;
}

const NativeFunction* NativeSymbols::named(std::string_view name) const {
  const auto found = std::ranges::find_if(
      functions_, [&](const NativeFunction& each) { return !each.moved_out && each.is(name); });
  return found == functions_.end() ? nullptr : &*found;
}

}  // namespace beam_exporter::elf
