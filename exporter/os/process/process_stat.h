#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "os/result.h"

namespace beam_exporter::os {

// What /proc says about one process, the target or the exporter, at one instant. An optional value
// is absent when we lack the right to read it, or when it is unlimited.
struct ProcessStat {
  double user_seconds = 0;  // of all threads, including those that have ended
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

// The fields of a "stat" in /proc that stand behind the name of the process or thread, from its
// state on. The name is in parentheses and may hold any byte, also ") (" and line ends (proc(5)):
// only the last parenthesis ends it. nullopt: there is no name.
std::optional<std::string> behind_name(const std::string& stat);

// `proc_dir` is "/proc/123" or "/proc/self"; the boot time is read from the "stat" beside it.
// Errors: not_found (no such process), malformed. Any thread.
Result<ProcessStat> read_process_stat(const std::filesystem::path& proc_dir);

}  // namespace beam_exporter::os
