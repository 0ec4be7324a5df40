#include "attribution/hidden_functions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "attribution/timer_functions.h"

namespace beam_exporter::attribution {

namespace {

using Names = FunctionSearch::Names;

// garbage_collect is called by erts_garbage_collect, erts_garbage_collect_nobump and
// erts_gc_after_bif_call_lhf (erl_gc.c, OTP 29). The other functions that these call have many more
// callers.
constexpr std::ptrdiff_t fewest_callers = 2, most_callers = 5;

// A row may use the functions of earlier rows. Files are below erts/emulator, OTP 28.4 and 29.1.1.
// ERTS_INTERNAL_ERROR (beam/sys.h) prints the name of the function that it is in.
constexpr std::array hidden_fingerprints = {
    // sys/common/erl_check_io.c.
    Fingerprint{.name = "erts_check_io",
                .prints = "erts_poll_wait() failed: %s (%d)\n",
                .called_by = {"erts_schedule"}},
    // beam/erl_process.c. Compilers may inline it; then its texts are in erts_schedule.
    Fingerprint{.name = "scheduler_wait",
                .prints = "scheduler_wait",
                .calls = {"erts_check_io", "erts_bump_timers"},
                .called_by = {"erts_schedule"}},
    // Sets a timer for work that has to wait; nothing else that erts_schedule calls does.
    Fingerprint{.name = "handle_aux_work",
                .calls = {"erts_twheel_set_timer"},
                .called_by = {"erts_schedule"}},
    Fingerprint{.name = "aux_thread",
                .prints = "ethr_use_ts_event",
                .calls = {"handle_aux_work", "erts_check_io"}},
    // lib_src/pthread/ethr_event.c: what a scheduler and the aux thread sleep in.
    Fingerprint{.name = "ethr_event_twait",
                .prints = "pthread/ethr_event.c",
                .called_by = {"scheduler_wait"}},
    Fingerprint{
        .name = "ethr_event_wait", .prints = "pthread/ethr_event.c", .called_by = {"aux_thread"}},
    // beam/erl_port_task.c, beam/io.c; what calls drivers is called by one BIF, and by few others.
    Fingerprint{.name = "erts_port_task_execute",
                .prints = "Invalid port task type: %d\n",
                .called_by = {"erts_schedule"}},
    Fingerprint{.name = "erts_port_output",
                .called_by = {"erts_internal_port_command_3"},
                .most_callers = 4},
    Fingerprint{.name = "erts_port_control",
                .called_by = {"erts_internal_port_control_3"},
                .most_callers = 2},
    Fingerprint{
        .name = "erts_port_call", .called_by = {"erts_internal_port_call_3"}, .most_callers = 2},
    Fingerprint{.name = "erts_io_notify_port_task_executed",
                .prints = "sys/common/erl_check_io.c",
                .called_by = {"erts_port_task_execute"}},
    // beam/erl_proc_sig_queue.c; beam/erl_process.c; beam/beam_common.c: what is done for others.
    Fingerprint{.name = "erts_proc_sig_handle_incoming",
                .prints = "erts_proc_sig_handle_incoming",
                .called_by = {"erts_schedule"}},
    Fingerprint{
        .name = "execute_sys_tasks", .prints = "execute_sys_tasks", .called_by = {"erts_schedule"}},
    Fingerprint{.name = "erts_check_process_code",
                .called_by = {"execute_sys_tasks", "erts_internal_check_dirty_process_code_2"},
                .most_callers = 3},
    Fingerprint{.name = "erts_execute_dirty_system_task",
                .prints = "erts_execute_dirty_system_task"},
    Fingerprint{.name = "erts_dirty_process_main", .calls = {"erts_execute_dirty_system_task"}},
    Fingerprint{.name = "erts_call_dirty_nif",
                .prints = "badreturn",
                .called_by = {"erts_dirty_process_main"}},
    Fingerprint{.name = "erts_do_exit_process", .prints = "System process %T terminated: %T\n"},
    Fingerprint{.name = "erts_continue_exit_process",
                .prints = "%s:%d: Internal error: %d\n",
                .called_by = {"erts_do_exit_process"}},
    // beam/erl_gc.c.
    Fingerprint{.name = "erts_garbage_collect_nobump",
                .calls = {"garbage_collect"},
                .called_by = {"erts_execute_dirty_system_task", "execute_sys_tasks"}},
    Fingerprint{.name = "erts_garbage_collect_literals",
                .prints = "erts_garbage_collect_literals",
                .calls = {"garbage_collect"}},
    Fingerprint{.name = "erts_copy_literals_gc",
                .calls = {"erts_garbage_collect_literals"},
                .called_by = {"execute_sys_tasks"}},
    Fingerprint{.name = "garbage_collect_hibernate",
                .prints = "hend=%p\n",
                .called_by = {"erts_garbage_collect_literals"}},
    Fingerprint{.name = "erts_garbage_collect_hibernate",
                .calls = {"garbage_collect_hibernate"},
                .called_by = {"erts_execute_dirty_system_task"}},
    // As in an emulator that exports its functions; the others that these two call have more
    // callers.
    Fingerprint{.name = "full_sweep_heaps",
                .called_by = {"garbage_collect", "garbage_collect_hibernate"},
                .most_callers = 2},
};

constexpr std::array ports = {
    std::string_view("erts_port_task_execute"), std::string_view("erts_port_output"),
    std::string_view("erts_port_control"), std::string_view("erts_port_call")};

std::optional<std::uint64_t> only_one(const std::set<std::uint64_t>& places) {
  return places.size() == 1 ? std::optional(*places.begin()) : std::nullopt;
}

Names collectors(const elf::DirectCalls& calls, std::uint64_t collecting_bif) {
  // erts_internal_garbage_collect_1 (bif.c, OTP 29) calls nothing else.
  const auto collection = only_one(calls.called_by(collecting_bif));
  if (!collection) return {};
  auto inside = calls.called_by(*collection);
  std::erase_if(inside, [&](std::uint64_t place) {
    const auto callers = std::ranges::count(calls.pairs(), place, &elf::DirectCalls::Pair::callee);
    return callers < fewest_callers || callers > most_callers;
  });
  const auto collector = only_one(inside);
  if (!collector) return {};
  return {{*collection, "erts_garbage_collect"}, {*collector, "garbage_collect"}};
}

// beam_jit_call_bif and beam_jit_call_nif (beam/jit/beam_jit_common.cpp) call a function by its
// pointer, and then erts_gc_after_bif_call_lhf. The first one calls nothing else.
Names callers_of_pointers(const elf::DirectCalls& calls, std::uint64_t garbage_collect,
                          const Names& told, const std::set<std::uint64_t>& called_by_jit) {
  std::map<std::uint64_t, std::set<std::uint64_t>> callers;  // by what they call
  std::set<std::uint64_t> called;
  for (const auto& pair : calls.pairs()) called.insert(pair.callee);
  for (const auto place : called_by_jit) {
    if (called.contains(place)) continue;
    for (const auto callee : calls.called_by(place))
      if (!told.contains(callee) && calls.calls(callee, garbage_collect))
        callers[callee].insert(place);
  }
  if (callers.size() != 1 || callers.begin()->second.size() != 2) return {};
  auto bif = *callers.begin()->second.begin(), nif = *callers.begin()->second.rbegin();
  const auto calls_one = [&](std::uint64_t place) { return calls.called_by(place).size() == 1; };
  if (calls_one(nif)) std::swap(bif, nif);
  if (!calls_one(bif) || calls_one(nif)) return {};
  return {{bif, "beam_jit_call_bif"}, {nif, "beam_jit_call_nif"}};
}

// The JIT calls erts_continue_exit_process too, which erts_do_exit_process may only jump to
// (beam/jit/x86/instr_common.cpp, OTP 28.4 and 29.1.1): then its texts look like those of a part
// that was moved out of the latter.
Names end_of_processes(const elf::DirectCalls& calls, std::uint64_t exit_process,
                       const std::set<std::uint64_t>& called_by_jit) {
  auto both = calls.called_by(exit_process);
  std::erase_if(both, [&](std::uint64_t place) { return !called_by_jit.contains(place); });
  const auto only = only_one(both);
  return only ? Names{{*only, "erts_continue_exit_process"}} : Names{};
}

}  // namespace

Names hidden_functions(const elf::DirectCalls& calls, const elf::NativeSymbols& symbols,
                       const elf::TextUses& texts, const Names& known,
                       const std::set<std::uint64_t>& called_by_jit) {
  const FunctionSearch by_name(calls, symbols, &texts, known);
  Names told = timer_functions(calls, symbols, texts, by_name);
  if (const auto bif = by_name.place_of("erts_internal_garbage_collect_1"))
    told.merge(collectors(calls, *bif));

  Names all = known;
  all.insert(told.begin(), told.end());
  FunctionSearch search(calls, symbols, &texts, all);
  for (const Fingerprint& fingerprint : hidden_fingerprints) search.find(fingerprint);
  const bool whole = std::ranges::all_of(
      ports, [&](std::string_view name) { return search.place_of(name).has_value(); });
  const auto collector = search.place_of("garbage_collect"),
             exits = search.place_of("erts_do_exit_process");
  told.merge(std::move(search).take());
  if (exits) told.merge(end_of_processes(calls, *exits, called_by_jit));
  if (collector) told.merge(callers_of_pointers(calls, *collector, told, called_by_jit));
  if (!whole)
    std::erase_if(told, [](const auto& entry) {
      return std::ranges::find(ports, entry.second) != ports.end();
    });
  return told;
}

}  // namespace beam_exporter::attribution
