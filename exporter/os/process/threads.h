#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "os/address.h"

namespace beam_exporter::os {

struct Thread {
  pid_t tid = 0;
  std::string name;  // /proc/PID/task/TID/comm: at most 15 characters
};

// The threads of a process now, by ascending tid; empty when it is gone.
std::vector<Thread> threads_of(const std::filesystem::path& proc_directory);

// What the scheduler of the kernel has counted for a thread since it began.
struct CpuUse {
  std::chrono::nanoseconds running{};
  std::chrono::nanoseconds waiting{};  // runnable, and no CPU was free for it
  std::uint64_t yielded = 0;           // switches to others because it had to wait for something
  std::uint64_t preempted = 0;         // switches to others although it wanted to go on
};

// nullopt when it has ended, or on a kernel that does not count (no CONFIG_SCHED_INFO).
std::optional<CpuUse> cpu_use_of(const std::filesystem::path& proc_directory, pid_t tid);

// The user stack pointer of a thread that waits in a system call; nullopt while it runs, and
// without the right to look.
std::optional<Address> stack_pointer_of(const std::filesystem::path& proc_directory, pid_t tid);

}  // namespace beam_exporter::os
