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

// What the kernel's scheduler has counted for a thread since the thread began.
struct CpuUse {
  std::chrono::nanoseconds running{};
  std::chrono::nanoseconds waiting{};  // runnable, but no CPU was free
  std::uint64_t yielded = 0;           // times it left its CPU because it had to wait for something
  std::uint64_t preempted = 0;         // times it lost its CPU although it could go on
};

// nullopt when the thread has ended, or on a kernel that does not count (no CONFIG_SCHED_INFO).
std::optional<CpuUse> cpu_use_of(const std::filesystem::path& proc_directory, pid_t tid);

// What a thread does now, for the kernel.
struct KernelState {
  char letter = '?';  // R runs or can run, S sleeps, D waits for a device, T is stopped: proc(5)
  std::string place;  // the function of the kernel in which it waits; "": not told
};

// nullopt when the thread has ended.
std::optional<KernelState> kernel_state_of(const std::filesystem::path& proc_directory, pid_t tid);

// Where a thread that is off the CPU will continue in user space.
struct UserPlace {
  Address stack_pointer = 0, instruction = 0;
  friend bool operator==(const UserPlace&, const UserPlace&) = default;
};

// The place of a thread that waits in a system call or a fault, or is stopped; nullopt while the
// thread runs or can run, and when we may not read it.
std::optional<UserPlace> user_place_of(const std::filesystem::path& proc_directory, pid_t tid);

// The stack pointer of user_place_of().
std::optional<Address> stack_pointer_of(const std::filesystem::path& proc_directory, pid_t tid);

}  // namespace beam_exporter::os
