#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::beam {

// Which VM the user wants to watch.
struct TargetChoice {
  pid_t pid = 0;  // 0: any
  // Regular expression (text::Pattern) on the command line; empty: any.
  std::string match;
};

// Finds the process to watch: the chosen pid, or the only visible process whose executable is
// called beam.smp (or beam.*) and whose command line matches. Errors: not_found (none yet: the
// caller waits), ambiguous (several: the text names them and how to choose), invalid_argument
// (`match` is not a regular expression).
os::Result<os::Process> find_target(const TargetChoice& choice);

// True when attaching has failed with `failure`, but another try may succeed. `first_try` is the
// time of the first try (CLOCK_MONOTONIC). The process may still be the shell script or the erlexec
// that becomes the VM, or the VM has its threads but not yet its code. We allow five seconds for
// that, and more until the process is twenty seconds old: a machine without free processors may
// need that long.
bool may_be_starting(const os::Process& process, os::ErrorKind failure,
                     std::chrono::nanoseconds first_try);

}  // namespace beam_exporter::beam
