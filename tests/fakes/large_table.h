#pragma once

#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// Gives the VM a process table with `slots` slots, all empty except one.
inline void put_large_table(FakeVm& vm, std::uint64_t slots, std::uint64_t slot,
                            os::Address process) {
  constexpr os::Address place = 0x5000000000;
  const auto& at = vm.layout.process_table;
  vm.memory.put_zeros(place, slots * 8);
  vm.memory.put(place + slot * 8, process);
  vm.memory.put(FakeVm::process_table, at.tab, place);
  vm.memory.put(FakeVm::process_table, at.max, static_cast<std::uint32_t>(slots));
  vm.memory.put(FakeVm::process_table, at.pix_mask, slots - 1);
}

}  // namespace beam_exporter::tests
