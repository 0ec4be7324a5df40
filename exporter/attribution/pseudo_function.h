#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Work that the VM does for a process although no function of that process asked for it.
namespace beam_exporter::attribution {

// Replaces the function on top of the Erlang stack: the value of the label `function`, with module
// "". An Erlang function always has "/arity" after its name, so that the two cannot be confused.
enum class PseudoFunction : std::uint8_t {
  exit,        // the process exits
  scheduling,  // the process is created, chosen, or put back into a queue
  signals,     // it works for others: it handles signals and tasks that they requested
};
inline constexpr std::array<std::string_view, 3> pseudo_function_names = {"exit", "scheduling",
                                                                          "signals"};

inline constexpr std::string_view name_of(PseudoFunction function) {
  return pseudo_function_names[static_cast<std::size_t>(function)];
}

// The kind of work that a C function of ERTS does, whoever calls it.
enum class ProcessWork : std::uint8_t {
  none,
  exit,
  scheduling,
  signals,
  system_task,        // requested by others, if the scheduler calls it
  dirty_loop,         // as dirty_system_task, if the process was chosen for that
  dirty_system_task,  // requested by others, or a collection that the process itself put off
  collection,         // the process's own, unless it works for others
};

// The work of the function with these names; `none` if no row has one of them.
ProcessWork process_work_of(std::span<const std::string> names);

// The fields of the sampled process that tell for whom the scheduler works (struct process,
// erl_process.h, OTP 25 and 27).
struct ProcessMarks {
  bool runs_code = false;       // a scheduler has chosen it to run its own code
  bool serves_others = false;   // a scheduler has chosen it for signals and system tasks
  bool in_dirty_loop = false;   // a dirty scheduler has chosen it for system tasks
  bool has_dirty_task = false;  // others have requested such tasks
};

// Finds the pseudo function of a sample: call enter() for each C frame, from the outermost to the
// innermost. `exit` wins over `signals`, and `signals` over `scheduling`, in whatever order the
// frames are.
class ProcessWorkNesting {
 public:
  // `has_process`: the scheduler had a process at that instant.
  ProcessWorkNesting(bool has_process, const ProcessMarks& marks)
      : has_process_(has_process), marks_(marks) {}

  void enter(ProcessWork work);
  std::optional<PseudoFunction> function() const;
  bool collects() const { return collects_; }

 private:
  bool has_process_;
  ProcessMarks marks_;
  bool exits_ = false, schedules_ = false, serves_ = false, dirty_ = false, collects_ = false;
};

}  // namespace beam_exporter::attribution
