#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/layout/release.h"
#include "os/result.h"

namespace beam_exporter::beam {

// The layouts we have: those built into the binary (config/layouts/*.yaml) and those of one folder
// on disk. A file on disk replaces the built-in one of the same name. Loaded at start and at reload
// by the commands; immutable, safe from any thread.
class LayoutLibrary {
 public:
  // An empty `folder` means the built-in ones only; one bad file in it refuses the whole folder.
  static os::Result<LayoutLibrary> load(const std::filesystem::path& folder = {});

  // Release, flavor and arch must fit; the same erts_version is preferred, another one accepted
  // (the proofs decide), files on disk before built-in ones. Nothing fits: unsupported, with what
  // to do.
  os::Result<Layout> find(const Release& release) const;

  // "25 jit x86_64", sorted, each once.
  std::vector<std::string> releases() const;

 private:
  explicit LayoutLibrary(std::vector<Layout> layouts) : layouts_(std::move(layouts)) {}

  std::vector<Layout> layouts_;  // in order of preference
};

}  // namespace beam_exporter::beam
