#include "beam/schedulers/counter_proofs.h"

#include <gtest/gtest.h>

#include "fakes/fake_counters.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class CounterProofsTest : public tests::EachRelease {
 protected:
  void SetUp() override {
    auto attached = vm.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    machine = std::move(*attached);
  }
  template <class Proof>
  PartProof of(Proof proof) const {
    return proof(vm.layout, vm.memory, machine->schedulers());
  }
  void ran(std::uint64_t in_each_scheduler) {
    for (std::size_t k = 0; k < tests::FakeCounters::normal; ++k)
      vm.memory.put(vm.schedulers[k], vm.layout.scheduler_data.reductions, in_each_scheduler);
  }
  void counts(std::int64_t tables) {
    vm.memory.put(vm.schedulers[0], tests::FakeCounters::count(vm), tables);
  }

  tests::FakeCounters counters{vm};
  std::unique_ptr<VirtualMachine> machine;
};
INSTANTIATE_TEST_SUITE_P(Releases, CounterProofsTest, tests::each_release, tests::release_name);

TEST_P(CounterProofsTest, hold_for_a_vm_as_laid_out) {
  EXPECT_EQ(of(prove_io).detail, "2 of 2 schedulers hold their number before them");
  EXPECT_TRUE(of(prove_io).ok);
  EXPECT_TRUE(of(prove_reductions).ok) << of(prove_reductions).detail;
  EXPECT_TRUE(of(prove_ets_tables).ok) << of(prove_ets_tables).detail;
}

TEST_P(CounterProofsTest, each_scheduler_has_its_own_number_before_the_bytes) {
  vm.memory.put(vm.schedulers[1], tests::FakeCounters::number_before_io(vm), 1);
  EXPECT_FALSE(of(prove_io).ok);
}

// A switch costs 400 at least, and what the queue counted at most besides.
TEST_P(CounterProofsTest, reductions_are_as_many_as_the_switches_allow) {
  const std::pair<std::uint64_t, bool> cases[] = {
      {0, false},
      {1000, false},
      {399'000, true},
      {500'000, true},
      {5'000'000, false},
      {~std::uint64_t{0}, false},
      {1'700'000'000'000'000'000, false},
  };
  for (const auto& [reductions, holds] : cases) {
    ran(reductions);
    EXPECT_EQ(of(prove_reductions).ok, holds) << reductions;
  }
}

TEST_P(CounterProofsTest, queues_that_count_nothing_like_it_are_refused) {
  vm.memory.put(counters.queues[0], vm.layout.run_queue.context_switches, ~std::uint64_t{0} / 2);
  EXPECT_FALSE(of(prove_reductions).ok);
}

TEST_P(CounterProofsTest, a_young_vm_proves_nothing) {
  ran(0);
  for (const auto queue : counters.queues) {
    vm.memory.put(queue, vm.layout.run_queue.context_switches, 3);
    vm.memory.put(queue, vm.layout.run_queue.reductions, 0);
  }
  EXPECT_FALSE(of(prove_reductions).ok);
  counts(0);
  vm.memory.put(vm.schedulers[0], tests::FakeCounters::list(vm), 0);
  EXPECT_FALSE(of(prove_ets_tables).ok);
}

TEST_P(CounterProofsTest, a_ring_of_tables_is_as_long_as_counted) {
  counts(2);
  EXPECT_FALSE(of(prove_ets_tables).ok);
  counts(0);
  EXPECT_FALSE(of(prove_ets_tables).ok);
  counts(3);
  EXPECT_TRUE(of(prove_ets_tables).ok);
}

TEST_P(CounterProofsTest, a_list_that_changes_all_the_time_says_nothing) {
  const os::Address place = tests::FakeCounters::count(vm).at(vm.schedulers[1]);
  std::uint64_t tables = 0;
  vm.memory.before_read = [&](os::Address from, std::size_t) {
    if (from == place) vm.memory.put(place, ++tables);
  };
  EXPECT_TRUE(of(prove_ets_tables).ok) << "the list of the other scheduler fits";
  EXPECT_GE(tables, 2U);
  vm.memory.before_read = {};
  EXPECT_FALSE(of(prove_ets_tables).ok) << "it stands still and has no table";
}

TEST_P(CounterProofsTest, what_is_no_ring_of_tables_is_refused) {
  const auto& at = vm.layout.ets_table;
  vm.memory.put(counters.ring[1], at.previous, counters.ring[2]);
  EXPECT_FALSE(of(prove_ets_tables).ok) << "it does not point back";
  vm.memory.put(counters.ring[1], at.previous, counters.ring[0]);
  vm.memory.put(counters.ring[2], at.owner, 0x0b);
  EXPECT_FALSE(of(prove_ets_tables).ok) << "an atom owns a table";
  vm.memory.put(counters.ring[2], at.owner, 0x43);
  vm.memory.put(counters.ring[2], at.next, counters.ring[1]);
  EXPECT_FALSE(of(prove_ets_tables).ok) << "it never closes";
  vm.memory.put(counters.ring[2], at.next, 0x10);
  EXPECT_FALSE(of(prove_ets_tables).ok) << "it leads nowhere";
}

TEST_P(CounterProofsTest, a_list_that_cannot_be_read_is_refused) {
  vm.memory.forget(counters.ring[2], 8);
  EXPECT_FALSE(of(prove_ets_tables).ok);
  vm.memory.forget(tests::FakeCounters::list(vm).at(vm.schedulers[1]), 8);
  EXPECT_FALSE(of(prove_ets_tables).ok);
}

}  // namespace
}  // namespace beam_exporter::beam
