#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "beam/layout/forced_places.h"
#include "beam/layout/layout.h"
#include "beam/layout/release.h"
#include "elf/symbol_search.h"
#include "os/result.h"

namespace beam_exporter::beam {

// The layouts we have: those built into the binary (config/layouts/*.yaml) and those of one folder
// on disk. A file on disk replaces the built-in one of the same name. With them goes where symbols
// of stripped builds are. Loaded at start and at reload by the commands; immutable, safe from any
// thread.
class LayoutLibrary {
 public:
  // An empty `folder` means the built-in ones only; one bad file in it refuses the whole folder.
  static os::Result<LayoutLibrary> load(const std::filesystem::path& folder = {},
                                        elf::SymbolSearch symbols = {});

  // Release, flavor, arch and build must fit; the same erts_version is preferred, another one
  // accepted (the proofs decide): files on disk before built-in ones, then the newest that is not
  // newer than the VM, then the oldest. Nothing fits: unsupported, with what to do.
  os::Result<Layout> find(const Release& release) const;

  // The layouts of releases at most two before or after this one, of its flavor, arch and build, of
  // each the one that find() prefers; the nearest release first.
  std::vector<Layout> neighbours(const Release& release) const;

  const elf::SymbolSearch& symbols() const { return symbols_; }  // a copy may add to it

  // What a user says of an interpreter; nothing by default.
  const ForcedPlaces& forced_places() const { return forced_; }
  void force(const ForcedPlaces& places) { forced_ = places; }

  // "25 jit x86_64" (and " lcnt"), sorted, each once.
  std::vector<std::string> releases() const;

 private:
  LayoutLibrary(std::vector<Layout> layouts, std::size_t from_disk, elf::SymbolSearch symbols)
      : layouts_(std::move(layouts)), from_disk_(from_disk), symbols_(std::move(symbols)) {}
  // What find() gives; nullptr when nothing fits.
  const Layout* nearest(const Release& release) const;

  std::vector<Layout> layouts_;
  std::size_t from_disk_ = 0;  // how many of them, the first ones
  elf::SymbolSearch symbols_;
  ForcedPlaces forced_;
};

}  // namespace beam_exporter::beam
