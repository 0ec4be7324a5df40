#include "beam/processes_of_vm.h"

namespace beam_exporter::beam {

std::optional<ProcessTable> process_table(const VirtualMachine& vm) {
  const auto place = vm.static_data().symbol("erts_proc");
  return place ? ProcessTable::open(vm.layout(), vm.memory(), *place) : std::nullopt;
}

std::optional<ProcessScan> scan_processes(const VirtualMachine& vm,
                                          const std::function<void(const ScannedProcess&)>& take) {
  const auto place = vm.static_data().symbol("erts_proc");
  return place ? scan_processes(vm.layout(), vm.memory(), *place, take) : std::nullopt;
}

}  // namespace beam_exporter::beam
