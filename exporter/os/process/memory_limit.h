#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "os/result.h"

namespace beam_exporter::os {

// The limit of a control group on the memory of all its processes. At the limit the kernel first
// takes back what it can, then its out-of-memory killer ends a process.
struct MemoryLimit {
  int version = 2;    // of control groups
  std::string group;  // path of the group that has the limit
  std::uint64_t limit = 0;
  std::uint64_t used = 0;  // by all processes of the group, with cached files
  // Cached files that were not used lately: the kernel takes these back first. Kubernetes judges
  // `used` without them (its "working set").
  std::uint64_t reclaimable = 0;

  // Bytes that count, and bytes that are left; 0 when the limit was lowered below what is in use.
  std::uint64_t held() const { return used > reclaimable ? used - reclaimable : 0; }
  std::uint64_t left() const { return limit > held() ? limit - held() : 0; }
};

// The limit that is nearest to be reached, of the group of the process and of the groups above it
// that can be seen: memory.max (v2, admin-guide/cgroup-v2.rst) or memory.limit_in_bytes (v1,
// admin-guide/cgroup-v1/memory.rst). It looks where the process itself sees the groups, then where
// `own_directory` does: a container sees only its own. nullopt: there is no limit. Errors:
// not_found (no such file system, or the group is not in it), malformed. Any thread.
Result<std::optional<MemoryLimit>> read_memory_limit(
    const std::filesystem::path& proc_directory,
    const std::filesystem::path& own_directory = "/proc/self");

}  // namespace beam_exporter::os
