#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "elf/image.h"
#include "os/memory/memory.h"
#include "os/memory/memory_map.h"
#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::elf {

// Memory of a process that a file holds.
struct MappedFile {
  os::UniqueFd file;
  std::vector<Segment> segments;  // by their addresses in the process; disjoint

  [[nodiscard]] bool read(os::Address from, std::span<std::byte> into) const;
};

// A core file of the kernel or of gcore: the memory of a process that is not there any more. What
// was not dumped cannot be read; the kernel leaves out what files hold (core(5), coredump_filter).
// The content is untrusted. Immutable, any thread.
class CoreFile final : public os::Memory {
 public:
  // Errors: not_found, not_permitted, malformed (no core file, or a compressed one), unsupported.
  static os::Result<CoreFile> open(const std::string& path);

  pid_t pid() const { return pid_; }  // 0: the core does not tell
  // Every mapping of the process. A file's inode number is not in the core: equal paths have equal
  // numbers that are ours.
  const os::MemoryMap& map() const { return map_; }
  // How many bytes a limit has cut off: cores are cut at RLIMIT_CORE, and where a disk is full.
  std::uint64_t missing_bytes() const { return missing_bytes_; }

  [[nodiscard]] bool read(os::Address from, std::span<std::byte> into) const override {
    return content_.read(from, into);
  }

 private:
  friend class CoreReader;
  CoreFile() = default;

  MappedFile content_;
  pid_t pid_ = 0;
  os::MemoryMap map_;
  std::uint64_t missing_bytes_ = 0;
};

// A core together with the executable of the process, for what the core does not hold: the parts of
// the executable that the process could not change. Any thread.
class CoreMemory final : public os::Memory {
 public:
  // `bias`: what the loader added to the addresses of `executable`, which is not needed afterwards.
  CoreMemory(CoreFile core, const Image& executable, std::uint64_t bias);

  [[nodiscard]] bool read(os::Address from, std::span<std::byte> into) const override;

 private:
  CoreFile core_;
  MappedFile unchanged_;
};

}  // namespace beam_exporter::elf
