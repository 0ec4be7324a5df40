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

// How many threads of this process a source samples that has room for all.
std::size_t threads_to_sample(const std::filesystem::path& proc_directory);

// Which threads of one VM a source samples, when it may be that there are descriptors or memory for
// some only: normal schedulers, then dirty CPU schedulers, then those that poll and the aux thread,
// then dirty IO schedulers and async threads. Among equals who used most CPU time lately; every ten
// seconds those without a place are compared with the others. One thread.
class ThreadChoice {
 public:
  // A source begins to sample a thread, or ends it. An error other than `gone` is taken as one that
  // the next thread would meet too.
  using Watch = std::function<os::Status(const VmThread&)>;
  using Forget = std::function<void(pid_t)>;

  // Compares with the threads that the VM has now. Error: not a single one is sampled, and why.
  os::Status refresh(const std::filesystem::path& proc_directory, std::chrono::nanoseconds now,
                     const Watch& watch, const Forget& forget);

  const Unwatched& unwatched() const { return unwatched_; }

 private:
  struct Candidate;
  std::vector<Candidate> candidates(const std::filesystem::path& proc_directory);
  void rank(const std::filesystem::path& proc_directory, std::vector<Candidate>& candidates);
  void give_turns(std::vector<Candidate>& ranked, const Forget& forget);

  std::map<pid_t, beam::ThreadRole> watched_;
  std::map<pid_t, std::chrono::nanoseconds> ran_;  // on a CPU, at the last comparison
  std::chrono::nanoseconds compared_{};
  Unwatched unwatched_;
};

}  // namespace beam_exporter::sampling
