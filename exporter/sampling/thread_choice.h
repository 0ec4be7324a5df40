#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "beam/schedulers/thread_kind.h"
#include "os/result.h"

namespace beam_exporter::sampling {

struct VmThread {
  pid_t tid = 0;
  beam::ThreadRole role;
};

// Threads of the VM that are not sampled.
struct Unwatched {
  std::array<std::size_t, beam::thread_kind_names.size()> threads{};  // by ThreadKind
  std::string reason;                                                 // empty: all are sampled

  std::size_t total() const;
};

// How many threads of this process a source samples when it has room for all.
std::size_t threads_to_sample(const std::filesystem::path& proc_directory);

// Chooses which threads of one VM a source samples, when there may not be descriptors or memory for
// all: first normal schedulers, then dirty CPU schedulers, then poll threads and the aux thread,
// then dirty IO schedulers and async threads. Among threads of equal rank, those that used most CPU
// time lately. Every ten seconds, threads that are not sampled are compared with those that are.
// One thread.
class ThreadChoice {
 public:
  // Watch begins to sample a thread, Forget ends it. After an error other than `gone`, no further
  // thread is tried: it would fail too.
  using Watch = std::function<os::Status(const VmThread&)>;
  using Forget = std::function<void(pid_t)>;

  // Reads which threads the VM has now, and watches or forgets threads. Error: no thread is
  // sampled; the text says why.
  os::Status refresh(const std::filesystem::path& proc_directory, std::chrono::nanoseconds now,
                     const Watch& watch, const Forget& forget);

  const Unwatched& unwatched() const { return unwatched_; }

 private:
  struct Candidate;
  std::vector<Candidate> candidates(const std::filesystem::path& proc_directory);
  void rank(const std::filesystem::path& proc_directory, std::vector<Candidate>& candidates);
  void replace_idle(std::vector<Candidate>& ranked, const Forget& forget);

  std::map<pid_t, beam::ThreadRole> watched_;
  std::map<pid_t, std::chrono::nanoseconds> ran_;  // CPU time at the last comparison
  std::chrono::nanoseconds compared_{};
  Unwatched unwatched_;
};

}  // namespace beam_exporter::sampling
