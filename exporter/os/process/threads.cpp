#include "os/process/threads.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

namespace beam_exporter::os {

std::vector<Thread> threads_of(const std::filesystem::path& proc_directory) {
  std::vector<Thread> threads;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(proc_directory / "task", ignored), end;
       entry != end; entry.increment(ignored)) {
    const std::string number = entry->path().filename().string();
    Thread thread;
    std::from_chars(number.data(), number.data() + number.size(), thread.tid);
    std::ifstream comm(entry->path() / "comm");
    if (thread.tid > 0 && std::getline(comm, thread.name)) threads.push_back(std::move(thread));
  }
  std::sort(threads.begin(), threads.end(),
            [](const Thread& a, const Thread& b) { return a.tid < b.tid; });
  return threads;
}

std::optional<CpuUse> cpu_use_of(const std::filesystem::path& proc_directory, pid_t tid) {
  // Time on CPU, time waiting for one, time slices (Documentation/scheduler/sched-stats.rst).
  std::ifstream file(proc_directory / "task" / std::to_string(tid) / "schedstat");
  std::int64_t running = 0, waiting = 0, slices = 0;
  if (!(file >> running >> waiting >> slices) || (running == 0 && slices == 0)) return std::nullopt;
  CpuUse use{std::chrono::nanoseconds(running), std::chrono::nanoseconds(waiting)};
  std::ifstream status(proc_directory / "task" / std::to_string(tid) / "status");
  for (std::string key; status >> key;) {
    if (key == "voluntary_ctxt_switches:") status >> use.yielded;
    if (key == "nonvoluntary_ctxt_switches:") status >> use.preempted;
  }
  return use;
}

std::optional<Address> stack_pointer_of(const std::filesystem::path& proc_directory, pid_t tid) {
  // "NUMBER ARGUMENTS... SP PC", or "running" (proc(5), /proc/PID/syscall).
  std::ifstream file(proc_directory / "task" / std::to_string(tid) / "syscall");
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(std::move(word));
  constexpr std::string_view hexadecimal = "0x";
  if (words.size() < 3 || !words[words.size() - 2].starts_with(hexadecimal)) return std::nullopt;
  const std::string digits = words[words.size() - 2].substr(hexadecimal.size());
  Address address = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  return parsed.ec == std::errc() ? std::optional(address) : std::nullopt;
}

}  // namespace beam_exporter::os
