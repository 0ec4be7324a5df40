#include "elf/native_symbols.h"

#include <algorithm>

#include "elf/function_bounds.h"

namespace beam_exporter::elf {

bool NativeFunction::is(std::string_view name) const {
  return std::ranges::find(names, name) != names.end();
}

NativeSymbols NativeSymbols::read(const Image& image) {
  NativeSymbols out;
  for (const auto& range : function_bounds(image)) out.functions_.push_back({range, {}});
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
