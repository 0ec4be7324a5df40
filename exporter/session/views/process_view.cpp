#include "session/views/process_view.h"

#include <optional>

#include "beam/processes/process_name.h"
#include "beam/processes/process_status.h"
#include "beam/processes_of_vm.h"
#include "session/views/process_tally.h"

namespace beam_exporter::session {

namespace {

constexpr int most_looks = 5;

bool is_called(beam::VirtualMachine& vm, const beam::ProcessIdForm& ids,
               const beam::ScannedProcess& process, const std::string& who) {
  if (who.starts_with('<')) return beam::process_id_text(ids, process.id) == who;
  return beam::registered_name(vm.layout(), vm.memory(), vm.atoms(), process) == who;
}

ProcessView view_of(beam::VirtualMachine& vm, const beam::ProcessIdForm& ids,
                    const beam::ProcessStack& process) {
  ProcessTally tally(vm, vm.code(), vm.atoms());
  tally.add(process);
  auto groups =
      profile::process_groups(tally.finish({.processes = 1}), profile::ProcessOrder::processes);
  return {
      .id = beam::process_id_text(ids, process.process.id),
      .name =
          beam::process_name(vm.layout(), vm.memory(), vm.atoms(), process.figures).value_or(""),
      .status = std::string(name_of(beam::process_status(process.process.state))),
      .heap_bytes = process.figures.heap_bytes,
      .messages = process.figures.messages,
      .frames = groups.empty() ? std::vector<std::string>() : std::move(groups.front().frames)};
}

}  // namespace

os::Result<ProcessView> process_view(beam::VirtualMachine& vm, const std::string& who) {
  std::string name = who;
  beam::drop_elixir(name);
  const os::Error unreadable{os::ErrorKind::unreadable, "the table of processes cannot be read"};
  const auto table = beam::process_table(vm);
  if (!table) return unreadable;
  for (int looks = 1;; ++looks) {
    if (!vm.code().refresh())
      return os::Error{os::ErrorKind::unreadable, "the VM's code cannot be read now; try again"};
    std::optional<ProcessView> view;
    const auto scan =
        beam::scan_process_stacks(vm, vm.code(), [&](const beam::ProcessStack& process) {
          if (is_called(vm, table->id_form(), process.figures, name))
            view = view_of(vm, table->id_form(), process);
        });
    if (!scan) return unreadable;
    if (view) return std::move(*view);
    if (scan->torn == 0)
      return os::Error{os::ErrorKind::not_found, "the VM has no process '" + who + "'"};
    if (looks == most_looks)
      return os::Error{os::ErrorKind::not_found,
                       "process '" + who + "' is not there, or it changes too fast to be read"};
  }
}

}  // namespace beam_exporter::session
