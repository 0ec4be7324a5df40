#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "os/result.h"

namespace beam_exporter::os {

// What /proc says about one process, the target or ourselves, at one instant.
// The optional ones need more rights than the rest, or are unlimited; then they are absent.
struct ProcessStat {
  double user_seconds = 0;  // of all its threads, ended ones included
  double system_seconds = 0;
  double start_time_seconds = 0;  // since the Unix epoch; the kernel's clock tick is its resolution
  std::uint64_t start_ticks = 0;  // since boot; (pid, start_ticks) names a process for good
  std::uint64_t threads = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_bytes = 0;
  std::optional<std::uint64_t> open_fds;
  std::optional<std::uint64_t> max_fds;            // the soft limit
  std::optional<std::uint64_t> max_virtual_bytes;  // the soft limit
};

// `proc_dir` is "/proc/123" or "/proc/self"; the boot time is read from the "stat" beside it.
// Errors: not_found (no such process), malformed. Any thread.
Result<ProcessStat> read_process_stat(const std::filesystem::path& proc_dir);

}  // namespace beam_exporter::os
