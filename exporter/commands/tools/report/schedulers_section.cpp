#include <map>

#include "beam/layout/remote_struct.h"
#include "beam/processes_of_vm.h"
#include "beam/schedulers/sleep_flags.h"
#include "commands/tools/report/sections.h"
#include "os/process/threads.h"
#include "session/views/running_process.h"

namespace beam_exporter::commands {

namespace {

using beam::ThreadKind;
using ThreadsByRole = std::map<beam::ThreadRole, pid_t>;

std::string queue_text(const ReportSubject& subject, const beam::Scheduler& scheduler) {
  if (!subject.vitals) return "run queue not readable";
  const bool normal = scheduler.role.kind == ThreadKind::normal;
  for (const auto& queue : subject.vitals->run_queues)
    if (queue.kind == scheduler.role.kind &&
        queue.scheduler == (normal ? scheduler.role.number : 0))
      return "run queue " + std::to_string(queue.length) +
             (normal ? "" : " (one for all of this kind)");
  return "run queue not readable";
}

std::string thread_text(const ReportSubject& subject, const ThreadsByRole& threads,
                        beam::ThreadRole role) {
  const auto thread = threads.find(role);
  const auto directory = subject.vm.process().directory();
  const auto state =
      thread == threads.end() ? std::nullopt : os::kernel_state_of(directory, thread->second);
  if (!state) return "thread not found in /proc";
  return "thread " + std::to_string(thread->second) + " " + state->letter +
         (state->place.empty() ? "" : " in " + state->place);
}

void print_running(const ReportSubject& subject, const beam::ProcessIdForm& ids, os::Address at,
                   std::ostream& out) {
  const auto process = session::running_process(subject.vm, ids, at);
  if (!process) {
    out << "  runs a process that could not be read: it changed meanwhile\n";
    return;
  }
  out << "  runs " << process->id << " " << process->name << ", " << process->status << "\n";
  if (!process->last_seen_in.empty()) out << "    last seen in: " << process->last_seen_in << "\n";
  std::size_t shown = 0;
  for (const auto& frame : process->frames) {
    if (shown++ == subject.limit) {
      out << "    ... and " << process->frames.size() - subject.limit << " frames more\n";
      break;
    }
    out << "    " << frame << "\n";
  }
  if (process->frames.empty()) out << "    no frame could be told\n";
}

void print_one(const ReportSubject& subject, const std::optional<beam::ProcessIdForm>& ids,
               const ThreadsByRole& threads, const beam::Scheduler& scheduler, std::ostream& out) {
  const auto& memory = subject.vm.memory();
  out << name_of(scheduler.role.kind) << " " << scheduler.role.number << ": ";
  const auto flags = scheduler.sleep_flags == 0
                         ? std::nullopt
                         : memory.value<std::uint32_t>(scheduler.sleep_flags);
  out << (flags ? beam::sleep_flags_text(*flags) : "sleep flags not readable") << "; "
      << queue_text(subject, scheduler);
  if (!subject.from_core()) out << "; " << thread_text(subject, threads, scheduler.role);
  out << "\n";
  const auto& at = subject.vm.layout().scheduler_data;
  const auto process = beam::read_field(memory, scheduler.data, at.current_process);
  if (!process)
    out << "  what it runs is not readable\n";
  else if (*process != 0 && !ids)
    out << "  runs a process; the table of processes is not readable\n";
  else if (*process != 0)
    print_running(subject, *ids, *process, out);
  if (beam::read_field(memory, scheduler.data, at.current_port).value_or(0) != 0)
    out << "  runs a port\n";
}

}  // namespace

void print_schedulers(const ReportSubject& subject, std::ostream& out) {
  auto& vm = subject.vm;
  print_heading("2. Schedulers", out);
  out << "Of a process that runs, the stack may be stale: it is that of the moment when C code saw "
         "it last.\nIt was last seen in the BIF or NIF that it called, or in the function where it "
         "gave its scheduler up.\n";
  if (!vm.code().refresh())
    out << "not readable: the VM's code; some frames below have no name or are missing\n";
  const auto table = beam::process_table(vm);
  ThreadsByRole threads;
  for (const auto& thread : os::threads_of(vm.process().directory()))
    if (const auto role = beam::thread_role(thread.name)) threads.emplace(*role, thread.tid);
  out << (subject.from_core() ? "not readable: the kernel's states of the threads (a core)\n" : "")
      << "\n";
  for (const auto& scheduler : vm.schedulers())
    print_one(subject, table ? std::optional(table->id_form()) : std::nullopt, threads, scheduler,
              out);
}

}  // namespace beam_exporter::commands
