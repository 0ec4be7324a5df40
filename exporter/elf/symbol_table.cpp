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
  std::ranges::sort(entries_, {}, [this](const Entry& each) {
    return std::tuple(name_of(each), each.symbol.value, each.local);
  });
  const auto same = [this](const Entry& one, const Entry& other) {
    return name_of(one) == name_of(other) && one.symbol.value == other.symbol.value;
  };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
  std::ranges::sort(entries_, {}, [this](const Entry& each) {
    return std::tuple(name_of(each), each.local, each.symbol.value);
  });
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
