#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/address.h"

namespace beam_exporter::elf {

struct Symbol {
  os::Address value = 0;  // before the load bias
  std::uint64_t size = 0;
  bool is_function = false;  // STT_FUNC or STT_GNU_IFUNC
  bool in_code = false;      // lies in an executable section
};

struct NamedSymbol {
  std::string_view name;  // lives as long as the table
  bool local = false;     // STB_LOCAL: no other file sees it
  Symbol symbol;
};

// The symbols of one file, by name. Static functions of several sources may share a name. All names
// are one text: an emulator has ten thousand. Made once per file; then immutable, any thread.
class SymbolTable {
 public:
  // Call sort() after the last one. Left out when the names together would exceed 256 MiB.
  void add(std::string_view name, bool local, const Symbol& symbol);
  // Of symbols with the same name and place, which .symtab repeats from .dynsym, the global one
  // stays.
  void sort();

  // A global symbol hides the local ones of its name; of these, the one with the lowest address.
  std::optional<Symbol> find(std::string_view name) const;
  std::size_t size() const { return entries_.size(); }
  NamedSymbol at(std::size_t index) const;  // sorted by name

 private:
  struct Entry {
    std::uint32_t name_begin = 0;  // into names_
    std::uint32_t name_size = 0;
    bool local = false;
    Symbol symbol;
  };
  std::string_view name_of(const Entry& entry) const {
    return std::string_view(names_).substr(entry.name_begin, entry.name_size);
  }

  std::string names_;
  std::vector<Entry> entries_;
};

}  // namespace beam_exporter::elf
