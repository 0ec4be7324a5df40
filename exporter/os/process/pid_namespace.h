#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace beam_exporter::os {

// Which pid namespace a process is in, as the kernel names it to itself: what a BPF program must
// say to be told the ids that are valid there.
struct PidNamespace {
  std::uint64_t device = 0, inode = 0;
};

// All zero when it cannot be seen: then nobody is in it.
PidNamespace pid_namespace(const std::filesystem::path& proc_directory);

// The id of a thread as the process itself sees it, in the innermost namespace; nullopt when the
// thread has ended.
std::optional<pid_t> innermost_tid(const std::filesystem::path& proc_directory, pid_t tid);

}  // namespace beam_exporter::os
