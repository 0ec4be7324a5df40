#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::os {

// Which process, for good: a pid alone is reused, and exec keeps both pid and start time but mostly
// changes the executable. One of the same executable is told by AddressSpace (address_space.h).
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // /proc/PID/stat field 22, clock ticks since boot
  std::uint64_t executable_inode = 0;
  std::uint64_t executable_device = 0;
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// One process as /proc shows it. Cheap values; nothing is attached or stopped.
class Process {
 public:
  // Errors: not_found when there is no such process.
  static Result<Process> open(pid_t pid);

  const ProcessIdentity& identity() const { return identity_; }
  pid_t pid() const { return identity_.pid; }
  std::filesystem::path directory() const;  // /proc/PID
  std::filesystem::path root() const;       // /proc/PID/root: the target's own file system

  // The same program still runs: not ended, not replaced by exec. A zombie has ended. True as well
  // when it cannot be told, as without a free descriptor.
  bool running() const;

  // Through /proc/PID/exe: works for deleted files and other mount namespaces.
  Result<UniqueFd> open_executable() const;
  // The executable's path as the kernel names it (in its own mount namespace); empty when
  // unreadable.
  std::string executable_path() const;
  // The command line, NUL separated arguments joined by blanks.
  std::string command_line() const;

 private:
  explicit Process(ProcessIdentity identity) : identity_(identity) {}
  ProcessIdentity identity_;
};

// Every process id visible in our /proc, ascending.
std::vector<pid_t> visible_processes();

}  // namespace beam_exporter::os
