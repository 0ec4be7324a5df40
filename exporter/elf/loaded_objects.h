#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "elf/frame_rules.h"
#include "elf/image.h"
#include "elf/native_symbols.h"
#include "elf/symbol_search.h"
#include "os/memory/memory.h"
#include "os/memory/memory_map.h"
#include "os/process/process.h"

namespace beam_exporter::elf {

// One executable or library as it is mapped in the target.
struct LoadedObject {
  std::string path;  // as the target sees it, or "[vdso]"
  Image image;
  std::uint64_t bias = 0;  // address in the target = address in the file + bias
  std::optional<FrameRules> frames;
  std::optional<NativeSymbols> names = std::nullopt;  // see symbols()

  const NativeSymbols& symbols();  // read on first need
  // The rule for an address in the target; nullptr where the file has none that can be used.
  const FrameRule* rules(os::Address address) {
    return frames ? frames->at(address - bias) : nullptr;
  }
  // False for code that was built without unwind tables.
  bool has_rules(os::Address address) { return frames && frames->covers(address - bias); }
};

// Finds the ELF file that is mapped at an address of the target: its executable, libc, a NIF
// library, the vdso. A file is opened when it is first needed, through the target's own mounts;
// also a deleted one, where the kernel allows that. A file that has replaced the mapped one on disk
// is not used. One thread.
class LoadedObjects {
 public:
  // `search` finds the symbols of stripped files.
  LoadedObjects(const os::Process& process, const os::Memory& memory, SymbolSearch search = {})
      : process_(process), memory_(&memory), search_(std::move(search)) {}

  // Call this after the memory map was read again: forgets objects that are no longer mapped. Keeps
  // no reference to `map`.
  void update(const os::MemoryMap& map);

  // nullptr when no ELF file is mapped there (anonymous memory, JIT code), or the file cannot be
  // read.
  LoadedObject* at(os::Address address);

  // One address in the code of each mapped object, for callers that need every object.
  std::vector<os::Address> code() const;

  std::size_t opened() const { return objects_.size(); }
  const os::Memory& memory() const { return *memory_; }

 private:
  struct Key {
    std::uint64_t inode = 0;
    std::string path;
    auto operator<=>(const Key&) const = default;
  };
  struct CodeRange {
    os::Address end = 0;
    Key key;
  };

  LoadedObject* open(os::Address mapping, const CodeRange& range);
  os::Result<os::UniqueFd> open_file(os::Address mapping, const CodeRange& range) const;

  os::Process process_;
  const os::Memory* memory_;
  SymbolSearch search_;
  std::map<os::Address, CodeRange> code_;                 // executable mappings, by begin
  std::map<Key, os::AddressRange> lowest_;                // the first mapping of each file
  std::map<Key, std::unique_ptr<LoadedObject>> objects_;  // null: opening it has failed
};

}  // namespace beam_exporter::elf
