#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::os {

// An event at each entry of a process into a function of an executable file, told by the file and
// the function's offset in it (a uprobe): the kernel puts a breakpoint into the process's own copy
// of that page for as long as the event is open. For a BPF program to be attached to, which then
// runs in whichever thread enters. Errors:
// unsupported (a kernel without uprobes), not_permitted (CAP_SYS_ADMIN), gone, system. Any thread.
Result<UniqueFd> open_function_entry_event(pid_t pid, const std::filesystem::path& executable,
                                           std::uint64_t file_offset);

}  // namespace beam_exporter::os
