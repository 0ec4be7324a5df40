#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::os {

// Opens an event that fires each time the process enters one function (a uprobe). `executable` and
// `file_offset` name the function. While the event is open, the kernel keeps a breakpoint in the
// process's own copy of that page. A BPF program is attached to the event, and runs in the thread
// that enters the function. Errors: unsupported (a kernel without uprobes), not_permitted
// (CAP_SYS_ADMIN), gone, system. Any thread.
Result<UniqueFd> open_function_entry_event(pid_t pid, const std::filesystem::path& executable,
                                           std::uint64_t file_offset);

}  // namespace beam_exporter::os
