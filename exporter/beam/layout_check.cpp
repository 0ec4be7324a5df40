#include "beam/layout_check.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "beam/process_fields.h"
#include "beam/process_table.h"
#include "beam/remote_struct.h"
#include "beam/term.h"

namespace beam_exporter::beam {

namespace {

CheckResult result(std::string name, bool ok, std::string detail) {
  return {std::move(name), ok, std::move(detail)};
}

// The static atoms come in the order of erts/emulator/beam/atom.names, whose first line is "atom
// false true" (OTP 25 and 27).
CheckResult check_atoms(VirtualMachine& vm) {
  constexpr auto atom = [](std::uint64_t index) { return (index << 6) | 0x0b; };
  const auto first = vm.atoms().name(atom(0)), second = vm.atoms().name(atom(1));
  const bool ok = first == "false" && second == "true";
  return result("atoms", ok,
                "atom 0 is '" + first.value_or("?") + "', atom 1 is '" + second.value_or("?") +
                    "', " + std::to_string(vm.atoms().count().value_or(0)) + " atoms");
}

CheckResult check_schedulers(VirtualMachine& vm) {
  const auto& layout = vm.layout().scheduler_data;
  std::size_t ok = 0;
  for (const auto& scheduler : vm.schedulers()) {
    const auto bytes = read_struct(vm.memory(), scheduler.data, layout.size);
    if (!bytes) continue;
    const StructBytes fields(*bytes);
    // ssi and run_queue are set before a scheduler's thread starts and never null after.
    const auto ssi = fields.get(layout.ssi).value_or(0),
               queue = fields.get(layout.run_queue).value_or(0);
    if (vm.memory_map().readable(ssi, vm.layout().sleep_info.size) &&
        vm.memory_map().readable(queue, 64))
      ++ok;
  }
  return result("schedulers", !vm.schedulers().empty() && ok == vm.schedulers().size(),
                std::to_string(ok) + " of " + std::to_string(vm.schedulers().size()) +
                    " numbered and with mapped sleep info and run queue");
}

// C code called from JIT code must run on that scheduler's own thread stack.
CheckResult check_runtime_stacks(VirtualMachine& vm) {
  std::size_t normal = 0, ok = 0;
  for (const auto& scheduler : vm.schedulers()) {
    if (scheduler.role.kind != ThreadKind::normal) continue;
    ++normal;
    const auto* mapping = vm.memory_map().find(scheduler.runtime_stack - 8);
    if (vm.release().flavor != "jit" ||
        (scheduler.runtime_stack % 16 == 0 && mapping != nullptr && mapping->writable))
      ++ok;
  }
  return result("runtime_stacks", normal > 0 && ok == normal,
                std::to_string(ok) + " of " + std::to_string(normal) + " normal schedulers");
}

CheckResult check_processes(VirtualMachine& vm) {
  const auto place = vm.static_data().symbol("erts_proc");
  if (!place) return result("processes", false, "no symbol erts_proc");
  const auto table = read_process_table(vm.layout(), vm.memory(), *place);
  if (!table) return result("processes", false, "the process table cannot be read");
  const auto drift = table->processes.size() > table->count
                         ? table->processes.size() - table->count
                         : table->count - table->processes.size();
  // Processes come and go between the two reads; more than that is a wrong layout.
  const bool ok = !table->processes.empty() && table->misplaced <= table->processes.size() / 100 &&
                  drift <= 2 + table->count / 10;
  return result("processes", ok,
                std::to_string(table->processes.size()) +
                    " processes with an id of their own slot, " + std::to_string(table->misplaced) +
                    " without; the VM counts " + std::to_string(table->count));
}

CheckResult check_process_fields(VirtualMachine& vm) {
  const auto place = vm.static_data().symbol("erts_proc");
  const auto table = place ? read_process_table(vm.layout(), vm.memory(), *place) : std::nullopt;
  if (!table) return result("process_fields", false, "the process table cannot be read");
  constexpr std::size_t enough = 200;
  std::size_t looked = 0, heaps = 0, names = 0;
  for (const os::Address address : table->processes) {
    if (looked == enough) break;
    ++looked;
    const auto process = read_process(vm.layout(), vm.memory(), address);
    if (!process) continue;
    if (vm.memory_map().readable(process->heap, process->hend - process->heap)) ++heaps;
    if (vm.name_of(process->initial)) ++names;
  }
  const bool ok = looked > 0 && heaps * 10 >= looked * 9 && names * 10 >= looked * 9;
  return result("process_fields", ok,
                std::to_string(heaps) + " of " + std::to_string(looked) + " with a mapped heap, " +
                    std::to_string(names) + " with a named initial call");
}

CheckResult check_code(VirtualMachine& vm) {
  auto& code = vm.code();
  const bool refreshed = code.refresh();
  return result("code_ranges", refreshed && code.functions() > 0 && code.undecoded() == 0,
                std::to_string(code.modules()) + " modules, " + std::to_string(code.functions()) +
                    " functions, " + std::to_string(code.undecoded()) + " modules not decoded");
}

// Modules that every VM has preloaded (erts/preloaded/src) must be there under their own names.
CheckResult check_modules(VirtualMachine& vm) {
  constexpr std::array<std::string_view, 3> wanted = {"erlang", "init", "erl_prim_loader"};
  const auto ranges = read_code_ranges(vm.layout(), vm.memory(), vm.code_place());
  std::size_t found = 0;
  for (const auto& range : ranges ? ranges->ranges : std::vector<os::AddressRange>{}) {
    const auto* module = vm.code().module_at(range.begin);
    const auto name =
        module != nullptr ? vm.atoms().name(module->functions.front().module) : std::nullopt;
    found += static_cast<std::size_t>(name && std::ranges::count(wanted, *name));
  }
  return result("modules", found >= wanted.size(),
                std::to_string(found) + " of erlang, init, erl_prim_loader are loaded");
}

}  // namespace

std::vector<CheckResult> check_layout(VirtualMachine& vm) {
  return {check_atoms(vm),     check_schedulers(vm),     check_runtime_stacks(vm),
          check_processes(vm), check_process_fields(vm), check_code(vm),
          check_modules(vm)};
}

bool all_ok(const std::vector<CheckResult>& results) {
  return std::ranges::all_of(results, [](const CheckResult& r) { return r.ok; });
}

}  // namespace beam_exporter::beam
