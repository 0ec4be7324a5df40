#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Atom terms to names. Atoms are never freed, so a name once read stays right for the VM's life and
// is cached; only looked-up atoms take room. One thread.
class Atoms {
 public:
  Atoms(const Layout& layout, const os::Memory& memory, os::Address table)
      : layout_(&layout), memory_(&memory), table_(table) {}

  // UTF-8; nullopt when the term is no atom or its name cannot be read (yet).
  std::optional<std::string> name(Eterm term);

  // How many atoms there are now.
  std::optional<std::uint32_t> count() const;

 private:
  std::optional<std::string> read(std::uint32_t index) const;

  const Layout* layout_;
  const os::Memory* memory_;
  os::Address table_;
  std::unordered_map<std::uint32_t, std::string> names_;
};

}  // namespace beam_exporter::beam
