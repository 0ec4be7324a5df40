#include "beam/part_checks.h"

#include <utility>

#include "beam/allocators/carrier_walk.h"
#include "beam/held/held_by_processes.h"
#include "beam/held/held_proof.h"
#include "beam/processes_of_vm.h"
#include "beam/schedulers/counter_proofs.h"

namespace beam_exporter::beam {

namespace {

void check_allocators(const VirtualMachine& vm, std::vector<CheckResult>& results) {
  const auto set = find_allocators(vm.layout(), vm.static_data(), vm.memory());
  if (!set) {
    results.push_back({"allocators", false, set.error().text});
    return;
  }
  AllocatorReader reader(vm.layout(), vm.memory(), *set);
  const auto statistics = reader.read();
  results.push_back({"allocators", statistics.has_value(),
                     std::to_string(set->instances.size()) + " instances" +
                         (statistics ? "" : ", whose numbers contradict each other")});
  if (!statistics) return;
  const auto walk = walk_carriers(vm.layout(), vm.memory(), *set, reader);
  results.push_back({"carriers", walk.whole,
                     walk.whole
                         ? std::to_string(walk.carriers.size()) + " carriers, as large as counted"
                         : "not what the allocators count, or they changed in each of " +
                               std::to_string(walk.retries) + " walks"});
}

}  // namespace

std::vector<CheckResult> check_parts(const VirtualMachine& vm) {
  std::vector<CheckResult> results;
  const auto add = [&](const char* name, auto prove) {
    auto proof = prove(vm.layout(), vm.memory(), vm.schedulers());
    results.push_back({name, proof.ok, std::move(proof.detail)});
  };
  add("io", prove_io);
  add("reductions", prove_reductions);
  add("ets_tables", prove_ets_tables);
  check_allocators(vm, results);
  return results;
}

std::vector<CheckResult> check_held(const VirtualMachine& vm) {
  const bool memory = can_measure(vm.layout(), {.memory = true}),
             binaries = can_measure(vm.layout(), {.binaries = true});
  std::vector<CheckResult> results;
  if (!memory && !binaries) return results;
  std::vector<ScannedProcess> processes;
  // Without the table nothing is proven.
  (void)scan_processes(vm, [&](const auto& process) { processes.push_back(process); });
  auto proofs = prove_held(vm.layout(), vm.memory(), processes);
  if (memory) results.push_back({"held_memory", proofs.memory.ok, std::move(proofs.memory.detail)});
  if (binaries)
    results.push_back({"held_binaries", proofs.binaries.ok, std::move(proofs.binaries.detail)});
  return results;
}

}  // namespace beam_exporter::beam
