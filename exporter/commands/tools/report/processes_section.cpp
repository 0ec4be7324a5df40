#include <map>

#include "beam/processes/first_messages.h"
#include "beam/processes/process_name.h"
#include "beam/processes/process_status.h"
#include "beam/processes_of_vm.h"
#include "beam/terms/term_kind.h"
#include "collectors/memory_figures.h"
#include "commands/tools/report/message_kinds.h"
#include "commands/tools/report/sections.h"
#include "session/views/process_profile.h"
#include "text/bytes.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

constexpr std::size_t most_messages_told = 100;

std::string who(beam::VirtualMachine& vm, const beam::ProcessIdForm& ids,
                const beam::ScannedProcess& process) {
  return beam::process_id_text(ids, process.id) + " " +
         beam::process_name(vm.layout(), vm.memory(), vm.atoms(), process).value_or("?");
}

// A process that runs may take its messages out meanwhile, and their memory may hold other terms
// then. So the kinds are right if the same messages are there before and after.
void print_first_messages(beam::VirtualMachine& vm, const beam::ScannedProcess& process,
                          std::ostream& out) {
  const auto read = [&] {
    return beam::first_messages(vm.layout(), vm.memory(), process.address, process.id,
                                most_messages_told);
  };
  MessageKinds kinds;
  bool torn = true;
  constexpr int most_tries = 3;
  for (int tries = 0; tries < most_tries && torn; ++tries) {
    kinds = {};
    const auto first = read();
    for (const beam::Eterm term : first.terms)
      kinds.add(term == 0 ? "<from another node, not decoded>"
                          : beam::term_kind(vm.layout(), vm.memory(), vm.atoms(), term));
    torn = first.torn || read().terms != first.terms;
  }
  out << kinds.text(process.messages, torn);
}

void print_largest(beam::VirtualMachine& vm, const beam::ProcessIdForm& ids,
                   const collectors::ProcessTally& tally, std::ostream& out) {
  const auto queues = tally.longest_queues(), heaps = tally.largest_heaps();
  out << "\nThe longest message queues, each with the kinds of its first messages:\n";
  if (queues.empty()) out << "no process has a message\n";
  for (const auto& process : queues) {
    out << text::printed("%10llu  ", static_cast<unsigned long long>(process.messages))
        << who(vm, ids, process) << "\n";
    print_first_messages(vm, process, out);
  }
  out << "\nThe largest heaps (with their messages):\n";
  for (const auto& process : heaps)
    out << text::printed("%10s  ",
                         text::bytes_text(static_cast<double>(process.heap_bytes)).c_str())
        << who(vm, ids, process) << "\n";
}

}  // namespace

void print_processes(const ReportSubject& subject, std::ostream& out) {
  auto& vm = subject.vm;
  print_heading("4. Processes", out);
  std::map<beam::ProcessStatus, std::uint64_t> by_status;
  collectors::ProcessTally tally(subject.limit);
  const auto take = [&](const beam::ScannedProcess& process) {
    ++by_status[beam::process_status(process.state)];
    tally.add(process);
  };
  const auto scan = beam::scan_processes(vm, take);
  if (!scan) {
    out << "not readable: the table of processes\n";
    return;
  }
  const auto count = [&](std::uint64_t processes, std::string_view what) {
    out << text::printed("%10llu  ", static_cast<unsigned long long>(processes)) << what << "\n";
  };
  for (const auto& [status, processes] : by_status) count(processes, name_of(status));
  if (scan->torn > 0) count(scan->torn, "came or went during the look");
  print_largest(vm, scan->ids, tally, out);
}

void print_stacks(const ReportSubject& subject, std::ostream& out) {
  print_heading("5. Stacks of all processes", out);
  const auto all = session::process_profile(subject.vm);
  if (all)
    out << profile::process_text(*all, profile::ProcessOrder::processes, subject.limit);
  else
    out << "not readable: " << all.error().text << "\n";
}

}  // namespace beam_exporter::commands
