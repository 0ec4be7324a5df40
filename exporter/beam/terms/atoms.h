#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Finds the name of an atom term. The VM never frees an atom, so names are cached for the VM's
// life; only atoms that were looked up take memory. One thread.
class Atoms {
 public:
  Atoms(const Layout& layout, const os::Memory& memory, os::Address table)
      : layout_(&layout), memory_(&memory), table_(table) {}

  // The same table for another thread; knows no name yet. Any thread.
  Atoms separate() const { return {*layout_, *memory_, table_}; }

  // UTF-8; nullopt when the term is not an atom, or its name cannot be read (yet).
  std::optional<std::string> name(Eterm term);

  // How many atoms there are now.
  std::optional<std::uint32_t> count() const;

 private:
  std::optional<std::string> read(std::uint32_t index) const;
  std::optional<os::Address> text_of(const StructBytes& atom) const;

  const Layout* layout_;
  const os::Memory* memory_;
  os::Address table_;
  std::unordered_map<std::uint32_t, std::string> names_;
};

}  // namespace beam_exporter::beam
