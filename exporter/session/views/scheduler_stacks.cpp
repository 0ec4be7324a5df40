#include "session/views/scheduler_stacks.h"

#include <algorithm>

#include "beam/layout/remote_struct.h"
#include "beam/schedulers/sleep_flags.h"
#include "session/views/running_process.h"

namespace beam_exporter::session {

namespace {

using Ids = std::optional<beam::ProcessIdForm>;

void tell_look(const LatestStack& look, const Ids& ids, SchedulerStack& out) {
  out.state = look.state;
  if (look.process != 0) out.process = ids ? beam::process_id_text(*ids, look.process) : "?";
  out.name = look.name;
  out.status = look.status;
  out.lines = look.lines;
}

void tell_work(const LatestStack& look, const Ids& ids, std::chrono::nanoseconds now,
               SchedulerStack& out) {
  tell_look(look, ids, out);
  out.origin = look.blocked ? StackOrigin::blocked : StackOrigin::sample;
  if (look.time > look.since) out.seen_for = look.time - look.since;
  out.ago = std::max(std::chrono::nanoseconds(0), now - look.time);
}

void tell_memory(beam::VirtualMachine& vm, const Ids& ids, os::Address process,
                 SchedulerStack& out) {
  out.origin = StackOrigin::memory;
  const auto running = ids ? running_process(vm, *ids, process) : std::nullopt;
  if (!running) return;
  out.process = running->id;
  out.name = running->name;
  out.status = running->status;
  out.last_seen_in = running->last_seen_in;
  for (const auto& frame : running->frames)
    out.lines.push_back({profile::FunctionKind::erlang, frame});
}

// What the kernel and the VM's structs tell at this moment. Returns the process that it executes.
os::Address tell_now(const beam::VirtualMachine& vm, const beam::Scheduler& scheduler,
                     SchedulerStack& out) {
  const auto& memory = vm.memory();
  const auto& at = vm.layout().scheduler_data;
  if (out.tid) out.kernel = os::kernel_state_of(vm.process().directory(), *out.tid);
  const auto flags = scheduler.sleep_flags == 0
                         ? std::nullopt
                         : memory.value<std::uint32_t>(scheduler.sleep_flags);
  if (flags) out.sleep_flags = beam::sleep_flags_text(*flags);
  out.port = beam::read_field(memory, scheduler.data, at.current_port).value_or(0) != 0;
  return beam::read_field(memory, scheduler.data, at.current_process).value_or(0);
}

}  // namespace

std::vector<SchedulerStack> scheduler_stacks(beam::VirtualMachine& vm, const Ids& ids,
                                             const SchedulerLooks& looks,
                                             std::chrono::nanoseconds now, bool alive) {
  std::map<beam::ThreadRole, pid_t> threads;
  if (alive)
    for (const auto& thread : os::threads_of(vm.process().directory()))
      if (const auto role = beam::thread_role(thread.name)) threads.emplace(*role, thread.tid);
  std::vector<SchedulerStack> all;
  for (const auto& scheduler : vm.schedulers()) {
    auto& out = all.emplace_back();
    out.role = scheduler.role;
    if (const auto thread = threads.find(scheduler.role); thread != threads.end())
      out.tid = thread->second;
    const os::Address process = alive ? tell_now(vm, scheduler, out) : 0;
    const auto look = looks.find(scheduler.role);
    if (look != looks.end() && look->second.work)
      tell_work(*look->second.work, ids, now, out);
    else if (process != 0)
      tell_memory(vm, ids, process, out);
    else if (look != looks.end() && look->second.idle)
      tell_look(*look->second.idle, ids, out);
  }
  return all;
}

}  // namespace beam_exporter::session
