#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "os/memory/memory_map.h"
#include "os/result.h"

namespace beam_exporter::os {

// One mapping and how much of it is in RAM, in bytes.
struct MappingUse {
  Mapping mapping;
  std::uint64_t resident = 0;   // Rss: shared pages count fully, as in the process's own RSS
  std::uint64_t anonymous = 0;  // pages of no file
};

// /proc/PID/smaps, in address order. The kernel walks the page tables: about 10 ms per GiB. Errors:
// not_found, not_permitted, malformed. Any thread.
Result<std::vector<MappingUse>> read_smaps(const std::filesystem::path& proc_directory);
Result<std::vector<MappingUse>> parse_smaps(const std::string& text);

// Bytes of these ranges (ascending, disjoint) that are in RAM, to the page, from /proc/PID/pagemap.
// nullopt: no right to look, or the process is gone.
std::optional<std::uint64_t> resident_bytes(const std::filesystem::path& proc_directory,
                                            std::span<const AddressRange> ranges);

}  // namespace beam_exporter::os
