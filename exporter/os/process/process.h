#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::os {

// Identifies one process for good. A pid alone is reused. An exec keeps pid and start time, but
// mostly changes the executable; AddressSpace (address_space.h) notices an exec of the same
// executable.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // /proc/PID/stat field 22, clock ticks since boot
  std::uint64_t executable_inode = 0;
  std::uint64_t executable_device = 0;
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// One process as /proc shows it. Cheap to copy; nothing is attached or stopped.
class Process {
 public:
  // Errors: not_found when there is no such process.
  static Result<Process> open(pid_t pid);

  // One of which we have only the memory, in a file. Another process may have its pid: so it has no
  // directory and no files, and does not run.
  static Process ended(pid_t pid) { return Process({.pid = pid}, true); }

  const ProcessIdentity& identity() const { return identity_; }
  pid_t pid() const { return identity_.pid; }
  std::filesystem::path directory() const;  // /proc/PID
  std::filesystem::path root() const;       // /proc/PID/root: the target's own file system

  // True if the same program still runs: it has not ended, and exec has not replaced it. A zombie
  // has ended. True also when we cannot find out, for example without a free descriptor.
  bool running() const;

  // Opens /proc/PID/exe: this works for deleted files and in other mount namespaces.
  Result<UniqueFd> open_executable() const;
  // The executable's path in the process's own mount namespace, as the kernel writes it; empty when
  // unreadable.
  std::string executable_path() const;
  // The command line: its arguments, joined by blanks.
  std::string command_line() const;

 private:
  explicit Process(ProcessIdentity identity, bool ended = false)
      : identity_(identity), ended_(ended) {}
  ProcessIdentity identity_;
  bool ended_ = false;
};

// Every process id visible in our /proc, ascending.
std::vector<pid_t> visible_processes();

}  // namespace beam_exporter::os
