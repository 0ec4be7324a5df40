#include "elf/symbol_table.h"

#include <algorithm>
#include <tuple>

namespace beam_exporter::elf {

void SymbolTable::add(std::string_view name, bool local, const Symbol& symbol) {
  // In a crafted table names may overlap: their sum may be larger than the file.
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  if (names_.size() + name.size() > most_bytes) return;
  entries_.push_back({static_cast<std::uint32_t>(names_.size()),
                      static_cast<std::uint32_t>(name.size()), local, symbol});
  names_ += name;
}

void SymbolTable::sort() {
  // To compare names is most of what it costs to open a file: they are sorted once.
  std::ranges::sort(entries_, {}, [this](const Entry& each) {
    return std::tuple(name_of(each), each.local, each.symbol.value);
  });
  // Of one name: the global symbols, then the local ones, each by their places.
  auto kept = entries_.begin(), first_of_name = kept, first_local = kept;
  for (const Entry& each : entries_) {
    if (kept == first_of_name || name_of(*first_of_name) != name_of(each))
      first_of_name = first_local = kept;
    const auto value = [](const Entry& one) { return one.symbol.value; };
    const bool repeated =
        std::ranges::binary_search(first_of_name, first_local, each.symbol.value, {}, value) ||
        std::ranges::binary_search(first_local, kept, each.symbol.value, {}, value);
    if (repeated) continue;
    *kept++ = each;
    if (!each.local) first_local = kept;
  }
  entries_.erase(kept, entries_.end());
  entries_.shrink_to_fit();
}

std::optional<Symbol> SymbolTable::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(entries_, name, {},
                                              [this](const Entry& each) { return name_of(each); });
  if (found == entries_.end() || name_of(*found) != name) return std::nullopt;
  return found->symbol;
}

NamedSymbol SymbolTable::at(std::size_t index) const {
  const Entry& entry = entries_[index];
  return {name_of(entry), entry.local, entry.symbol};
}

}  // namespace beam_exporter::elf
