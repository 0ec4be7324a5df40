#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::beam {

// Which VM is ours.
struct TargetChoice {
  pid_t pid = 0;  // 0: any
  // Regular expression (text::Pattern) on the command line; empty: any.
  std::string match;
};

// The process to watch now: the chosen pid, or the only visible process whose executable is called
// beam.smp (or beam.*) and whose command line matches. Errors: not_found (none: wait for it),
// ambiguous (several: it names them and how to choose), invalid_argument (no regular expression).
os::Result<os::Process> find_target(const TargetChoice& choice);

// True when another try is worth it, after attaching has failed with `failure` and was tried for
// the first time at `first_try` (CLOCK_MONOTONIC). The process may still be the shell script or the
// erlexec that becomes the VM, or it has its threads and not yet its code. A VM has five seconds
// for that, and until it is twenty seconds old, which a machine without free processors may need.
bool may_be_starting(const os::Process& process, os::ErrorKind failure,
                     std::chrono::nanoseconds first_try);

}  // namespace beam_exporter::beam
