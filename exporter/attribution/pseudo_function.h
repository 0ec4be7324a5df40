#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// What the VM does in the name of a process although no function of that process asked for it.
namespace beam_exporter::attribution {

// Takes the place of the function on top of the Erlang stack: label value `function`, with module
// "". An Erlang function always has "/arity" behind its name, so the two cannot be confused.
enum class PseudoFunction : std::uint8_t {
  exit,        // the process ends
  scheduling,  // it is created, chosen, or put back into a queue
  signals,     // it serves others: signals, and what they asked to be done to it
};
inline constexpr std::array<std::string_view, 3> pseudo_function_names = {"exit", "scheduling",
                                                                          "signals"};

inline constexpr std::string_view name_of(PseudoFunction function) {
  return pseudo_function_names[static_cast<std::size_t>(function)];
}

// What a C function of ERTS is a part of, whoever calls it.
enum class ProcessWork : std::uint8_t {
  none,
  exit,
  scheduling,
  signals,
  system_task,        // asked for by others, if the scheduler calls it
  dirty_loop,         // as the next one, if the process was chosen for that
  dirty_system_task,  // what others asked for, or a collection that the process itself put off
  collection,         // the process's own, unless it serves others
};

// By any of the names of one function.
ProcessWork process_work_of(std::span<const std::string> names);

// The fields of the sampled process that tell whose work the scheduler does (Process,
// erl_process.h).
struct ProcessMarks {
  bool runs_code = false;       // it has been chosen to run its own code
  bool serves_others = false;   // it has been chosen for signals and system tasks
  bool in_dirty_loop = false;   // a dirty scheduler chose it for system tasks
  bool has_dirty_task = false;  // others asked for some of those
};

// From the outermost C frame to the innermost one: which pseudo function a sample belongs to.
// Ending comes before serving, and serving before scheduling, whatever is called in what.
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
