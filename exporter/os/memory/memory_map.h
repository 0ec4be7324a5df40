#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "os/address.h"
#include "os/result.h"

namespace beam_exporter::os {

struct Mapping {
  AddressRange range;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  std::uint64_t file_offset = 0;
  std::uint64_t inode = 0;  // 0: no file
  std::string path;         // as the kernel writes it: may end in " (deleted)", or be "[stack]"
};

// /proc/PID/maps as values, in address order; true for the moment it was read.
class MemoryMap {
 public:
  static Result<MemoryMap> read(const std::filesystem::path& proc_directory);
  static Result<MemoryMap> parse(const std::string& text);
  // Of mappings that something else than /proc tells; none overlaps another.
  static MemoryMap of(std::vector<Mapping> mappings);

  const std::vector<Mapping>& mappings() const { return mappings_; }
  // The mapping that holds `address`, or nullptr.
  const Mapping* find(Address address) const;
  // True if all of [address, address + bytes) is mapped and readable. It may span adjacent
  // mappings.
  bool readable(Address address, std::uint64_t bytes) const;

 private:
  std::vector<Mapping> mappings_;
};

}  // namespace beam_exporter::os
