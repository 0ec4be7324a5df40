#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attribution/attributor.h"
#include "profile/recorder.h"
#include "sampling/raw_sample.h"
#include "session/process_names.h"
#include "session/sample_stacks.h"

namespace beam_exporter::session {

// A line of a stack: "copy_struct", "lists:sort/1 (lists.erl:42)".
struct StackLine {
  profile::FunctionKind kind = profile::FunctionKind::erlang;
  std::string text;
  friend bool operator==(const StackLine&, const StackLine&) = default;
};

// What one thread did when it was seen last.
struct LatestStack {
  std::chrono::nanoseconds time{};  // CLOCK_MONOTONIC, of that look
  // The first look at this process after which none saw the thread idle or with another process.
  // Between two looks it may have done something else.
  std::chrono::nanoseconds since{};
  bool blocked = false;     // it was off the CPU
  std::string state;        // of microstate accounting
  beam::Eterm process = 0;  // its id; 0: none, or not readable
  std::string name;         // as beam::process_name; "": no process, or not readable
  std::string status;       // of the process, in the words of process_info
  std::vector<StackLine> lines;
};

// The newest look at each scheduler that saw it work, and the newest that saw it idle: from
// samples, and from looks at threads that are off the CPU. For commands that look once: a session
// that nobody watches so pays one comparison for each sample. One thread.
class LatestStacks {
 public:
  struct Thread {
    std::optional<LatestStack> work, idle;
  };

  // `vm` must outlive it.
  explicit LatestStacks(beam::VirtualMachine& vm);

  // `native` is Attributor::native_frames() of this thread. `blocked`: it is off the CPU.
  void add(const sampling::RawSample& seen, const attribution::Attribution& meaning,
           std::span<const attribution::NativeMeaning* const> native, bool blocked);
  bool worked(beam::ThreadRole role) const;

  // Call it once, after the last add().
  std::map<beam::ThreadRole, Thread> finish();

 private:
  struct Look {
    LatestStack stack;
    std::vector<profile::Index> frames;
    bool erlang = false;     // there are Erlang functions among them
    std::size_t cut_at = 0;  // C frames are missing before this one; 0: none
  };
  struct Looks {
    std::optional<Look> work, idle;
    bool rested = false;  // it was idle after `work`
    std::chrono::nanoseconds newest{};
  };
  void keep_work(Looks& thread, Look look, const attribution::Attribution& meaning);
  Look look_at(const sampling::RawSample& seen, const attribution::Attribution& meaning,
               std::span<const attribution::NativeMeaning* const> native);

  ProcessNames names_;
  profile::Recorder recorder_;  // names frames, and counts nothing that anybody reads
  std::optional<profile::Recorder::Window> window_;
  SampleStacks stacks_;
  std::map<beam::ThreadRole, Looks> threads_;
};

}  // namespace beam_exporter::session
