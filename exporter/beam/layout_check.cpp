#include "beam/layout_check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "beam/code/jit_area.h"
#include "beam/layout/remote_struct.h"
#include "beam/process_proof.h"

namespace beam_exporter::beam {

namespace {

CheckResult result(std::string name, bool ok, std::string detail) {
  return {std::move(name), ok, std::move(detail)};
}

// The first atoms have the order of erts/emulator/beam/atom.names, whose first line is "atom false
// true" (OTP 25 and 27).
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
    // ssi and run_queue are set before a scheduler's thread starts, and are never null afterwards.
    const auto ssi = fields.get(layout.ssi).value_or(0),
               queue = fields.get(layout.run_queue).value_or(0);
    if (vm.readable(ssi, vm.layout().sleep_info.size) && vm.readable(queue, 64)) ++ok;
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
    const os::Address top = scheduler.runtime_stack - sizeof(os::Address);
    const auto* mapping = vm.memory_map().find(top);
    // The map does not show the stack of a thread that started after it was read.
    const bool stack = mapping != nullptr ? mapping->writable : vm.readable(top, sizeof(top));
    if (scheduler.runtime_stack % 16 == 0 && stack) ++ok;
  }
  return result("runtime_stacks", normal > 0 && ok == normal,
                std::to_string(ok) + " of " + std::to_string(normal) + " normal schedulers");
}

// The interpreter's code must be code of a file, and prove its places again.
CheckResult check_interpreter(VirtualMachine& vm) {
  const auto& known = *vm.interpreter();
  const auto* mapping = vm.memory_map().find(known.code.begin);
  const bool is_code = mapping != nullptr && mapping->executable && !may_be_jit_area(*mapping);
  const auto again = find_interpreter(vm.layout(), vm.memory(), known.code, vm.forced_places());
  const bool ok = is_code && again && again->places == known.places;
  return result("interpreter", ok,
                ok ? "process_main keeps its instruction in " +
                         place_text(known.places.instruction) + " and its stack in " +
                         place_text(known.places.stack) +
                         (known.places.always ? "" : ", which each sample must prove")
                   : "process_main is not where it was, or does not tell its places");
}

// A module may be loaded, replaced or purged after we have read the list of code and before we read
// the code. So we repeat until every module decodes, or until the same result repeats.
CheckResult check_code(VirtualMachine& vm) {
  constexpr int most_tries = 100, same_contradiction = 3;
  auto& code = vm.code();
  bool ok = false;
  int same = 0;
  for (int tries = 0; tries < most_tries && same < same_contradiction && !ok; ++tries) {
    const auto before = code.generation();
    const bool refreshed = code.refresh();
    ok = refreshed && code.functions() > 0 && code.undecoded() == 0;
    same = refreshed && code.generation() == before ? same + 1 : 0;
  }
  return result("code_ranges", ok,
                std::to_string(code.modules()) + " modules, " + std::to_string(code.functions()) +
                    " functions, " + std::to_string(code.undecoded()) + " modules not decoded");
}

// Every VM has preloaded these modules (erts/preloaded/src): their names must be in the list.
CheckResult check_modules(VirtualMachine& vm) {
  constexpr std::array<std::string_view, 3> wanted = {"erlang", "init", "erl_prim_loader"};
  std::size_t found = 0;
  for (const auto& range : vm.code().ranges()) {
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
  std::vector<CheckResult> results = {
      check_atoms(vm), check_schedulers(vm),
      vm.interpreter() != nullptr ? check_interpreter(vm) : check_runtime_stacks(vm)};
  std::ranges::move(prove_processes(vm), std::back_inserter(results));
  results.push_back(check_code(vm));
  results.push_back(check_modules(vm));
  return results;
}

bool all_ok(const std::vector<CheckResult>& results) {
  return std::ranges::all_of(results, [](const CheckResult& r) { return r.ok; });
}

}  // namespace beam_exporter::beam
