#pragma once

#include <vector>

#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// The counters of a FakeVm's schedulers and run queues, as of a VM that has run for a while:
// queue k is k long; each counted 100,000 reductions in 1,000 switches; the first scheduler has
// `tables` ETS tables.
struct FakeCounters {
  static constexpr std::size_t tables = 3;

  explicit FakeCounters(FakeVm& vm) {
    const auto& queue = vm.layout.run_queue;
    for (std::size_t k = 0; k < vm.schedulers.size(); ++k) {
      queues.push_back(vm.allocate(queue.size));
      vm.memory.put(vm.schedulers[k], vm.layout.scheduler_data.run_queue, queues.back());
      vm.memory.put(queues.back(), queue.length, static_cast<std::uint32_t>(k));
      vm.memory.put(queues.back(), queue.reductions, 100'000);
      vm.memory.put(queues.back(), queue.context_switches, 1000);
    }
    for (std::size_t k = 0; k < normal; ++k) {
      vm.memory.put(vm.schedulers[k], vm.layout.scheduler_data.reductions, 450'000);
      vm.memory.put(vm.schedulers[k], number_before_io(vm), static_cast<std::uint32_t>(k + 1));
    }
    const auto& at = vm.layout.ets_table;
    for (std::size_t k = 0; k < tables; ++k) ring.push_back(vm.allocate(at.size));
    for (std::size_t k = 0; k < tables; ++k) {
      vm.memory.put(ring[k], at.next, ring[(k + 1) % tables]);
      vm.memory.put(ring[k], at.previous, ring[(k + tables - 1) % tables]);
      vm.memory.put(ring[k], at.owner, 0x43);  // an internal pid
    }
    vm.memory.put(vm.schedulers[0], list(vm), ring[0]);
    vm.memory.put(vm.schedulers[0], count(vm), std::int64_t{tables});
  }

  // ErtsSchedulerData.thr_id.
  static beam::Field<std::uint32_t> number_before_io(const FakeVm& vm) {
    const auto& at = vm.layout.scheduler_data;
    if (at.thread_id.present()) return at.thread_id;
    return {at.io_out.offset - 20, 4};
  }
  static beam::Field<std::int64_t> count(const FakeVm& vm) {
    return vm.layout.scheduler_data.ets_count();
  }
  static beam::Field<os::Address> list(const FakeVm& vm) {
    return vm.layout.scheduler_data.ets_ring();
  }

  static constexpr std::size_t normal = 2;
  std::vector<os::Address> queues, ring;
};

}  // namespace beam_exporter::tests
