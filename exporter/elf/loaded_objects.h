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
#include "os/memory/memory.h"
#include "os/memory/memory_map.h"
#include "os/process/process.h"

namespace beam_exporter::elf {

// One executable or library as it is mapped in the target.
struct LoadedObject {
  std::string path;  // as the target names it; "[vdso]"
  Image image;
  std::uint64_t bias = 0;  // address in the target = address in the file + bias
  std::optional<FrameRules> frames;
  std::optional<NativeSymbols> names = std::nullopt;  // see symbols()

  const NativeSymbols& symbols();  // read on first need
};

// Which ELF file stands behind an address of the target: its executable, libc, NIF libraries, the
// vdso. Files are opened on first need, through the target's own mounts, deleted ones too where
// the kernel lets us; one that has been replaced on disk is not taken for the mapped one. One
// thread.
class LoadedObjects {
 public:
  LoadedObjects(const os::Process& process, const os::Memory& memory)
      : process_(process), memory_(&memory) {}

  // After the memory map was read anew: objects no longer mapped are forgotten. Keeps no reference.
  void update(const os::MemoryMap& map);

  // nullptr when no ELF file (anonymous memory, JIT code) or none that can be read.
  LoadedObject* at(os::Address address);

  // An address in the code of each object that is mapped, for those who want to see them all.
  std::vector<os::Address> code() const;

  std::size_t opened() const { return objects_.size(); }

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
  std::map<os::Address, CodeRange> code_;                 // executable mappings, by begin
  std::map<Key, os::AddressRange> lowest_;                // the first mapping of each file
  std::map<Key, std::unique_ptr<LoadedObject>> objects_;  // null: tried and failed
};

}  // namespace beam_exporter::elf
