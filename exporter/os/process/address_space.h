#pragma once

#include <filesystem>

#include "os/unique_fd.h"

namespace beam_exporter::os {

// The address space that a process had when this object was made. exec gives the process a new one,
// even if pid, start time, executable and (without ASLR) every address stay the same. The object
// holds one descriptor, and no memory of the process. Any thread.
class AddressSpace {
 public:
  // `proc_directory`: /proc/PID. Needs the right to read the process's memory.
  explicit AddressSpace(const std::filesystem::path& proc_directory);

  // True if the process has had an exec since then, or has ended. False also when /proc/PID/mem
  // could not be opened.
  bool replaced() const;

 private:
  UniqueFd memory_;
};

}  // namespace beam_exporter::os
