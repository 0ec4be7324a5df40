#include "attribution/pseudo_function.h"

#include <algorithm>

namespace beam_exporter::attribution {

namespace {

struct Row {
  std::string_view name;
  ProcessWork work;
};

// erts/emulator/beam, OTP 25.2.3 and 27.3.4.1.
constexpr std::array rows = {
    // erl_process.c: the last function of a process returns into the first of these; the second one
    // frees the rest.
    Row{"erts_do_exit_process", ProcessWork::exit},
    Row{"erts_continue_exit_process", ProcessWork::exit},
    // erl_process.c: puts the last process back, chooses a process and prepares it.
    Row{"erts_schedule", ProcessWork::scheduling},
    // erl_proc_sig_queue.c: called by the scheduler, in `receive`, by some BIFs, and by other
    // processes for a process that runs on a dirty scheduler.
    Row{"erts_proc_sig_handle_incoming", ProcessWork::signals},
    // Waits until these other processes are done.
    Row{"erts_proc_sig_do_wait_dirty_handle_signals__", ProcessWork::signals},
    // erl_process.c: erts_schedule calls execute_sys_tasks, which calls these. A BIF calls the
    // first one for its own process (erts_internal_check_process_code_1 in beam_bif_load.c).
    Row{"erts_check_process_code", ProcessWork::system_task},
    Row{"erts_copy_literals_gc", ProcessWork::system_task},
    Row{"erts_db_execute_free_fixation", ProcessWork::system_task},
    // The first one is in beam_common.c, and calls the second one, in erl_process.c. They also do
    // the collections that a process puts off to a dirty scheduler.
    Row{"erts_dirty_process_main", ProcessWork::dirty_loop},
    Row{"erts_execute_dirty_system_task", ProcessWork::dirty_system_task},
    // erl_gc.c.
    Row{"erts_garbage_collect", ProcessWork::collection},
    Row{"erts_garbage_collect_nobump", ProcessWork::collection},
    Row{"erts_garbage_collect_hibernate", ProcessWork::collection},
    Row{"erts_garbage_collect_literals", ProcessWork::collection},
    Row{"garbage_collect", ProcessWork::collection},
};

}  // namespace

ProcessWork process_work_of(std::span<const std::string> names) {
  for (const auto& name : names)
    if (const auto* row = std::ranges::find(rows, name, &Row::name); row != rows.end())
      return row->work;
  return ProcessWork::none;
}

void ProcessWorkNesting::enter(ProcessWork work) {
  switch (work) {
    case ProcessWork::none:
      return;
    case ProcessWork::exit:
      exits_ = true;
      return;
    case ProcessWork::scheduling:
      schedules_ = has_process_;
      serves_ |= has_process_ && marks_.serves_others;
      return;
    case ProcessWork::signals:
      serves_ = true;
      return;
    case ProcessWork::system_task:
      serves_ |= schedules_;
      return;
    case ProcessWork::dirty_loop:
      dirty_ |= marks_.in_dirty_loop;
      return;
    case ProcessWork::dirty_system_task:
      dirty_ = true;
      return;
    case ProcessWork::collection:
      collects_ = true;
      return;
  }
}

// The scheduler may collect a process before it runs the process's own code. That is the process's
// own work: its code has used the memory before (erts_schedule in erl_process.c, OTP 25 and 27).
std::optional<PseudoFunction> ProcessWorkNesting::function() const {
  if (exits_) return PseudoFunction::exit;
  const bool own = collects_ && !marks_.has_dirty_task;
  if (serves_ || (dirty_ && !own)) return PseudoFunction::signals;
  if (!schedules_) return std::nullopt;
  if (!collects_) return PseudoFunction::scheduling;
  return marks_.runs_code ? std::nullopt : std::optional(PseudoFunction::signals);
}

}  // namespace beam_exporter::attribution
