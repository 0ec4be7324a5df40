#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "os/memory/memory_map.h"
#include "os/result.h"

namespace beam_exporter::os {

// One mapping, and how many bytes of it are in RAM.
struct MappingUse {
  Mapping mapping;
  std::uint64_t resident = 0;   // Rss: a shared page counts fully, as in the RSS of the process
  std::uint64_t anonymous = 0;  // pages of no file
};

// /proc/PID/smaps, in address order. The kernel walks the page tables: about 10 ms per GiB. Errors:
// not_found, not_permitted, malformed. Any thread.
Result<std::vector<MappingUse>> read_smaps(const std::filesystem::path& proc_directory);
Result<std::vector<MappingUse>> parse_smaps(const std::string& text);

// How many bytes of `ranges` (ascending, disjoint) are in RAM, in whole pages, from
// /proc/PID/pagemap. nullopt: we may not read that file, or the process is gone.
std::optional<std::uint64_t> resident_bytes(const std::filesystem::path& proc_directory,
                                            std::span<const AddressRange> ranges);

}  // namespace beam_exporter::os
