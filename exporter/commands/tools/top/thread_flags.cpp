#include "commands/tools/top/thread_flags.h"

#include "os/process/threads.h"

namespace beam_exporter::commands {

std::vector<Flag> ThreadFlags::flags() {
  return {
      {"--scheduler", "N", "only what this normal scheduler runs; 0: all threads",
       Number{&scheduler_, 0, 1024}},
      {"--thread", "TID", "only what this thread runs; 0: all threads", Number{&tid_, 0, 4194304}}};
}

os::Status ThreadFlags::check() const {
  if (scheduler_ == 0 || tid_ == 0) return os::Done{};
  return os::Error{os::ErrorKind::invalid_argument, "give --scheduler or --thread, not both"};
}

os::Result<std::optional<beam::ThreadRole>> ThreadFlags::thread_of(
    const os::Process& process) const {
  if (scheduler_ == 0 && tid_ == 0) return std::optional<beam::ThreadRole>();
  const beam::ThreadRole scheduler{.number = static_cast<unsigned>(scheduler_)};
  unsigned schedulers = 0;
  for (const auto& thread : os::threads_of(process.directory())) {
    const auto role = beam::thread_role(thread.name);
    if (!role) continue;
    schedulers += role->kind == beam::ThreadKind::normal ? 1 : 0;
    if (tid_ != 0 ? thread.tid == tid_ : role == scheduler) return role;
  }
  if (tid_ != 0)
    return os::Error{os::ErrorKind::not_found, "process " + std::to_string(process.pid()) +
                                                   " has no thread " + std::to_string(tid_) +
                                                   " that is sampled"};
  return os::Error{os::ErrorKind::not_found, "the VM has no scheduler " +
                                                 std::to_string(scheduler_) + "; it has " +
                                                 std::to_string(schedulers)};
}

}  // namespace beam_exporter::commands
