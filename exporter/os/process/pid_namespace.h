#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace beam_exporter::os {

// The pid namespace of a process, as the kernel identifies it. A BPF program passes these two
// numbers to a helper that returns the ids that are valid in that namespace.
struct PidNamespace {
  std::uint64_t device = 0, inode = 0;
};

// Both zero when we may not read it: no process is in such a namespace.
PidNamespace pid_namespace(const std::filesystem::path& proc_directory);

// The id of a thread in the innermost namespace, as the process itself sees it; nullopt when the
// thread has ended.
std::optional<pid_t> innermost_tid(const std::filesystem::path& proc_directory, pid_t tid);

}  // namespace beam_exporter::os
