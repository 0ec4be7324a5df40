#pragma once

#include <filesystem>

#include "os/unique_fd.h"

namespace beam_exporter::os {

// The address space that a process had when this was made. exec gives a process a new one, though
// pid, start time, executable and, without ASLR, every address stay the same. Holds one descriptor
// and no memory of the process; any thread.
class AddressSpace {
 public:
  // `proc_directory`: /proc/PID. Asks for the right to read the process's memory.
  explicit AddressSpace(const std::filesystem::path& proc_directory);

  // The process has had an exec since, or has ended. False as well when it could not be opened.
  bool replaced() const;

 private:
  UniqueFd memory_;
};

}  // namespace beam_exporter::os
