#include "attribution/erts_functions.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "attribution/function_search.h"

namespace beam_exporter::attribution {

namespace {

enum class Match : std::uint8_t { whole, beginning };

struct Rule {
  std::string_view name;
  Match match;
  Effect effect;
};

// Files are below erts/emulator, OTP 25.2.3 and 27.3.4.1. Where ERTS sets the state inside the
// function, and not around its call, the rest of the function is counted too.
constexpr std::array rules = {
    // beam/erl_process.c, erts_schedule: OTHER from when it schedules a process out until it has
    // chosen the next one, EMULATOR from then on.
    Rule{"erts_schedule", Match::whole, Effect::scheduling},
    Rule{"erts_proc_sig_handle_incoming", Match::whole, Effect::process_work},
    Rule{"erts_execute_dirty_system_task", Match::whole, Effect::process_work},
    Rule{"erts_continue_exit_process", Match::whole, Effect::process_work},
    // beam/beam_common.c: the loop of a dirty scheduler.
    Rule{"erts_dirty_process_main", Match::whole, Effect::dirty_process},
    Rule{"scheduler_wait", Match::whole, Effect::waiting},
    // sched_spin_wait, for scheduler_wait: here for builds that have inlined both.
    Rule{"sched_yield", Match::whole, Effect::yields},
    Rule{"__sched_yield", Match::whole, Effect::yields},
    Rule{"handle_aux_work", Match::whole, Effect::aux},
    // beam/erl_threads.h: the inline functions erts_tse_wait (and swait, twait, stwait) and
    // erts_cnd_wait set SLEEP, and then call these. beam/erl_process.c: scheduler_wait calls
    // erts_tse_twait, and aux_thread calls erts_tse_wait.
    Rule{"ethr_event_wait", Match::whole, Effect::event_wait},
    Rule{"ethr_event_swait", Match::whole, Effect::event_wait},
    Rule{"ethr_event_twait", Match::whole, Effect::event_wait},
    Rule{"ethr_event_stwait", Match::whole, Effect::event_wait},
    Rule{"ethr_cond_wait", Match::whole, Effect::condition_wait},
    // beam/time.c.
    Rule{"erts_bump_timers", Match::whole, Effect::timers},
    Rule{"erts_twheel_set_timer", Match::whole, Effect::timers},
    Rule{"erts_twheel_cancel_timer", Match::whole, Effect::timers},
    Rule{"erts_check_next_timeout_time", Match::whole, Effect::timers},
    // sys/common/erl_check_io.c; sys/common/erl_poll.c: SLEEP while it may block.
    Rule{"erts_check_io", Match::whole, Effect::check_io},
    Rule{"driver_select", Match::whole, Effect::check_io},
    Rule{"erts_io_notify_port_task_executed", Match::whole, Effect::check_io_extended},
    Rule{"epoll_wait", Match::whole, Effect::poll_wait},
    Rule{"epoll_pwait", Match::whole, Effect::poll_wait},
    Rule{"epoll_pwait2", Match::whole, Effect::poll_wait},
    Rule{"poll", Match::whole, Effect::poll_wait},
    Rule{"ppoll", Match::whole, Effect::poll_wait},
    Rule{"select", Match::whole, Effect::poll_wait},
    Rule{"pselect", Match::whole, Effect::poll_wait},
    // beam/erl_gc.c: garbage_collect sets GC, and GC_FULL around a major collection.
    Rule{"erts_garbage_collect", Match::whole, Effect::gc},
    Rule{"erts_garbage_collect_nobump", Match::whole, Effect::gc},
    Rule{"garbage_collect", Match::whole, Effect::gc},
    Rule{"erts_garbage_collect_hibernate", Match::whole, Effect::gc_uncounted},
    Rule{"erts_garbage_collect_literals", Match::whole, Effect::gc_uncounted},
    Rule{"full_sweep_heaps", Match::whole, Effect::gc_full},
    // beam/erl_port_task.c; beam/io.c sets PORT around each call of a driver.
    Rule{"erts_port_task_execute", Match::whole, Effect::port},
    Rule{"erts_port_output", Match::whole, Effect::port},
    Rule{"erts_port_control", Match::whole, Effect::port},
    Rule{"erts_port_call", Match::whole, Effect::port},
    Rule{"erts_raw_port_command", Match::whole, Effect::port},
    Rule{"erts_fire_port_monitor", Match::whole, Effect::port},
    Rule{"erts_terminate_port", Match::whole, Effect::port},
    // beam/bif.c: SEND around do_send.
    Rule{"erl_send", Match::whole, Effect::send},
    Rule{"send_3", Match::whole, Effect::send},
    // beam/erl_alloc.h: inline functions set ALLOC, and then call these. Also
    // beam/erl_sched_spec_pre_alloc.h, and handle_delayed_dealloc in beam/erl_process.c.
    Rule{"erts_alcu_alloc", Match::beginning, Effect::alloc},
    Rule{"erts_alcu_free", Match::beginning, Effect::alloc},
    Rule{"erts_alcu_realloc", Match::beginning, Effect::alloc},
    Rule{"erts_sys_alloc", Match::whole, Effect::alloc},
    Rule{"erts_sys_free", Match::whole, Effect::alloc},
    Rule{"erts_sys_realloc", Match::whole, Effect::alloc},
    Rule{"erts_sspa_process_remote_frees", Match::whole, Effect::alloc},
    Rule{"erts_alloc_handle_delayed_dealloc", Match::whole, Effect::alloc},
    // beam/jit/x86/instr_bif.cpp, emit_call_nif_shared calls this C++ function, whose name is
    // mangled; it is a C function in OTP 24. beam/beam_common.c.
    Rule{"_Z17beam_jit_call_nif", Match::beginning, Effect::nif},
    Rule{"beam_jit_call_nif", Match::whole, Effect::nif},
    Rule{"erts_call_dirty_nif", Match::whole, Effect::nif},
    Rule{"erts_call_dirty_bif", Match::whole, Effect::bif},
    // beam/jit/beam_jit_common.cpp (.c in OTP 24): calls a BIF by pointer. That function may be in
    // no table, for example where a BIF continues after a yield.
    Rule{"_Z17beam_jit_call_bif", Match::beginning, Effect::bif},
    Rule{"beam_jit_call_bif", Match::whole, Effect::bif},
};

constexpr std::array fingerprints = {
    Fingerprint{
        .name = "handle_aux_work",
        .calls = {"erts_handle_canceled_timers", "erts_check_async_ready", "erts_mseg_cache_check"},
    },
    Fingerprint{
        .name = "scheduler_wait",
        .calls = {"ethr_event_twait", "erts_check_io", "erts_bump_timers"},
        .called_by = {"erts_schedule"},
    },
    Fingerprint{
        .name = "garbage_collect",
        .called_by = {"erts_garbage_collect", "erts_garbage_collect_nobump"},
    },
    Fingerprint{
        .name = "garbage_collect_hibernate",
        .called_by = {"erts_garbage_collect_hibernate"},
    },
    // The compiler inlines major_collection into garbage_collect; this function does its work.
    Fingerprint{
        .name = "full_sweep_heaps",
        .called_by = {"garbage_collect", "garbage_collect_hibernate"},
    },
};

struct Family {
  std::string_view native;
  bool hidden_in_collections;
  std::array<std::string_view, 8> members;
};

constexpr std::array families = {
    // beam/copy.c: copy_struct and similar names are macros for these functions; not every release
    // has all of them. A collection that calls one of them only moves data that the process has
    // already.
    Family{"copy_struct",
           true,
           {"copy_struct_x", "copy_object_x", "copy_shallow_x", "copy_shallow_obj_x",
            "copy_shared_calculate", "copy_shared_perform_x", "size_object_x", "size_shared"}},
    Family{"garbage_collect",
           false,
           {"erts_garbage_collect", "erts_garbage_collect_nobump", "erts_garbage_collect_hibernate",
            "erts_garbage_collect_literals", "garbage_collect"}},
};

}  // namespace

Effect effect_of(std::span<const std::string> names) {
  for (const auto& name : names)
    for (const Rule& rule : rules)
      if (rule.match == Match::whole ? name == rule.name : name.starts_with(rule.name))
        return rule.effect;
  return Effect::none;
}

std::map<std::uint64_t, std::string_view> static_functions(const elf::DirectCalls& calls,
                                                           const elf::NativeSymbols& symbols) {
  FunctionSearch search(calls, symbols);
  for (const Fingerprint& fingerprint : fingerprints) search.find(fingerprint);
  return std::move(search).take();
}

std::map<std::uint64_t, std::vector<std::uint64_t>> parts_of(
    const elf::DirectCalls& calls, const elf::NativeSymbols& symbols,
    const std::function<bool(std::uint64_t)>& is_caller) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> parts;
  std::set<std::uint64_t> others;
  for (const auto& pair : calls.pairs()) {
    if (pair.caller == pair.callee) continue;
    const auto* callee = symbols.beginning_at(pair.callee);
    if (callee == nullptr || callee->exported) continue;
    if (is_caller(pair.caller))
      parts[pair.callee].push_back(pair.caller);
    else
      others.insert(pair.callee);
  }
  std::erase_if(parts, [&](const auto& part) { return others.contains(part.first); });
  return parts;
}

std::vector<std::string> members_of_family(std::string_view native) {
  for (const Family& family : families) {
    if (family.native != native) continue;
    std::vector<std::string> members;
    for (const auto member : family.members)
      if (!member.empty()) members.emplace_back(member);
    return members;
  }
  return {std::string(native)};
}

std::vector<std::string> names_of_families() {
  std::vector<std::string> names;
  names.reserve(families.size());
  for (const Family& family : families) names.emplace_back(family.native);
  return names;
}

bool is_hidden_in_collections(std::string_view native) {
  return std::ranges::any_of(families, [&](const Family& family) {
    return family.native == native && family.hidden_in_collections;
  });
}

}  // namespace beam_exporter::attribution
