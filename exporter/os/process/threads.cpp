#include "os/process/threads.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include "os/process/process_stat.h"

namespace beam_exporter::os {

namespace {

// The number of "0x7ffe12".
std::optional<Address> hexadecimal(std::string_view word) {
  constexpr std::string_view prefix = "0x";
  if (!word.starts_with(prefix)) return std::nullopt;
  word.remove_prefix(prefix.size());
  Address address = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), address, 16);
  return parsed.ec == std::errc() ? std::optional(address) : std::nullopt;
}

}  // namespace

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
  // Time on a CPU, time waiting for a CPU, number of time slices
  // (Documentation/scheduler/sched-stats.rst).
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

std::optional<KernelState> kernel_state_of(const std::filesystem::path& proc_directory, pid_t tid) {
  const auto directory = proc_directory / "task" / std::to_string(tid);
  std::ifstream file(directory / "stat");
  const auto fields = behind_name(std::string(std::istreambuf_iterator<char>(file), {}));
  KernelState state;
  if (!fields || !(std::istringstream(*fields) >> state.letter)) return std::nullopt;
  // "0" while it runs, and for a reader without the right (get_wchan, fs/proc/base.c).
  std::ifstream wchan(directory / "wchan");
  if (std::getline(wchan, state.place) && state.place == "0") state.place.clear();
  return state;
}

std::optional<UserPlace> user_place_of(const std::filesystem::path& proc_directory, pid_t tid) {
  // "NUMBER ARGUMENTS... SP PC", "-1 SP PC" outside system calls, or "running" (proc(5),
  // /proc/PID/syscall).
  std::ifstream file(proc_directory / "task" / std::to_string(tid) / "syscall");
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(std::move(word));
  if (words.size() < 3) return std::nullopt;
  const auto stack_pointer = hexadecimal(words[words.size() - 2]);
  const auto instruction = hexadecimal(words.back());
  if (!stack_pointer || !instruction) return std::nullopt;
  return UserPlace{*stack_pointer, *instruction};
}

std::optional<Address> stack_pointer_of(const std::filesystem::path& proc_directory, pid_t tid) {
  const auto place = user_place_of(proc_directory, tid);
  return place ? std::optional(place->stack_pointer) : std::nullopt;
}

}  // namespace beam_exporter::os
