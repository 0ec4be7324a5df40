#include "beam/schedulers/vitals.h"

#include <gtest/gtest.h>

#include "fakes/corrupted.h"
#include "fakes/fake_counters.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::FakeVm;

class VitalsTest : public tests::EachRelease {
 protected:
  void SetUp() override {
    for (std::size_t k = 0; k < vm.schedulers.size(); ++k) {
      sleep_infos.push_back(vm.allocate(vm.layout.sleep_info.size));
      vm.memory.put(vm.schedulers[k], vm.layout.scheduler_data.ssi, sleep_infos.back());
    }
    auto attached = vm.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    machine = std::move(*attached);
    reader.emplace(vm.layout, machine->static_data(), vm.memory, machine->schedulers());
  }

  tests::FakeCounters counters{vm};
  const std::vector<os::Address>& queues = counters.queues;
  std::vector<os::Address> sleep_infos;
  std::unique_ptr<VirtualMachine> machine;
  std::optional<VitalsReader> reader;
};
INSTANTIATE_TEST_SUITE_P(Releases, VitalsTest, tests::each_release, tests::release_name);

TEST_P(VitalsTest, counts_as_laid_out) {
  const auto vitals = reader->read();
  ASSERT_TRUE(vitals);
  EXPECT_EQ(vitals->processes, vm.processes.size());
  EXPECT_EQ(vitals->process_limit, FakeVm::process_slots);
  EXPECT_EQ(vitals->reductions, 400'000U);
  EXPECT_EQ(vitals->context_switches, 4000U);
  EXPECT_EQ(vitals->io_in, 0U);
  EXPECT_EQ(vitals->ets_tables, tests::FakeCounters::tables);
  ASSERT_EQ(vitals->run_queues.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(vitals->run_queues[k].length, k);
  EXPECT_EQ(vitals->ports, std::nullopt) << "this VM has no table of ports";
}

TEST_P(VitalsTest, leaves_out_what_is_not_proven_and_tries_again) {
  const auto number = tests::FakeCounters::number_before_io(vm);
  vm.memory.put(vm.schedulers[1], number, 7);
  vm.memory.put(vm.schedulers[0], vm.layout.scheduler_data.reductions, 0);
  vm.memory.put(vm.schedulers[1], vm.layout.scheduler_data.reductions, 0);
  vm.memory.put(vm.schedulers[0], tests::FakeCounters::list(vm), 0);
  auto vitals = reader->read();
  ASSERT_TRUE(vitals);
  EXPECT_EQ(vitals->io_in, std::nullopt);
  EXPECT_EQ(vitals->io_out, std::nullopt);
  EXPECT_EQ(vitals->reductions, std::nullopt);
  EXPECT_EQ(vitals->context_switches, std::nullopt);
  EXPECT_EQ(vitals->ets_tables, std::nullopt);
  EXPECT_EQ(vitals->run_queues.size(), 4U) << "nothing else is left out";
  EXPECT_EQ(vitals->processes, vm.processes.size());

  vm.memory.put(vm.schedulers[1], number, 2);
  vm.memory.put(vm.schedulers[0], vm.layout.scheduler_data.reductions, 900'000);
  vm.memory.put(vm.schedulers[0], tests::FakeCounters::list(vm), counters.ring[0]);
  vitals = reader->read();
  EXPECT_EQ(vitals->io_in, 0U);
  EXPECT_EQ(vitals->reductions, 400'000U);
  EXPECT_EQ(vitals->ets_tables, tests::FakeCounters::tables);

  vm.memory.put(vm.schedulers[0], tests::FakeCounters::list(vm), 0);
  EXPECT_EQ(reader->read()->ets_tables, tests::FakeCounters::tables) << "proven once is enough";
}

TEST_P(VitalsTest, schedulers_are_online_unless_they_are_suspended) {
  const auto online = [&](std::size_t scheduler, std::uint32_t flags) {
    vm.memory.put(sleep_infos[scheduler], vm.layout.sleep_info.flags, flags);
    std::vector<std::uint64_t> counts;
    const auto vitals = reader->read();
    for (const auto& kind : vitals->schedulers) {
      counts.push_back(kind.all);
      counts.push_back(kind.online);
    }
    return counts;
  };
  // normal, dirty CPU, dirty I/O: all and online
  EXPECT_EQ(online(0, 0), (std::vector<std::uint64_t>{2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(online(1, 0x1d), (std::vector<std::uint64_t>{2, 1, 1, 1, 1, 1}));
  EXPECT_EQ(online(2, 0x10), (std::vector<std::uint64_t>{2, 1, 1, 0, 1, 1}));
  EXPECT_EQ(online(1, 0x0d), (std::vector<std::uint64_t>{2, 2, 1, 0, 1, 1})) << "only asleep";
}

TEST_P(VitalsTest, flags_that_cannot_be_read_leave_the_schedulers_out) {
  vm.memory.forget(sleep_infos[3], vm.layout.sleep_info.size);
  const auto vitals = reader->read();
  ASSERT_TRUE(vitals);
  EXPECT_TRUE(vitals->schedulers.empty());
}

TEST_P(VitalsTest, a_queue_of_absurd_length_or_that_cannot_be_read_is_refused) {
  for (const std::uint32_t bad : {0x80000000U, 0xffffffffU}) {
    vm.memory.put(queues[1], vm.layout.run_queue.length, bad);
    EXPECT_FALSE(reader->read());
  }
  vm.memory.put(queues[1], vm.layout.run_queue.length, 0);
  EXPECT_TRUE(reader->read());
  vm.memory.forget(queues[3] + vm.layout.run_queue.size - 1, 1);
  EXPECT_FALSE(reader->read());
}

TEST_P(VitalsTest, schedulers_that_cannot_be_read_are_refused) {
  vm.memory.forget(vm.layout.scheduler_data.io_in.at(vm.schedulers[0]), 8);
  EXPECT_FALSE(reader->read());
}

TEST_P(VitalsTest, tables_of_absurd_size_are_absent) {
  const auto& table = vm.layout.process_table;
  vm.memory.put(FakeVm::process_table, table.max, (1u << 27) + 1);
  vm.memory.put(FakeVm::atom_table, vm.layout.index_table.entries, (1 << 20) + 1);
  const auto vitals = reader->read();
  ASSERT_TRUE(vitals);
  EXPECT_EQ(vitals->processes, std::nullopt);
  EXPECT_EQ(vitals->process_limit, std::nullopt);
  EXPECT_EQ(vitals->atoms, std::nullopt);
}

TEST_P(VitalsTest, a_count_beyond_its_limit_is_cut) {
  vm.memory.put(FakeVm::process_table, vm.layout.process_table.count, 0xffffffff);
  const auto vitals = reader->read();
  ASSERT_TRUE(vitals);
  EXPECT_EQ(vitals->processes, vitals->process_limit);
}

TEST_P(VitalsTest, a_scheduler_without_a_queue_is_left_out) {
  for (const auto scheduler : vm.schedulers)
    vm.memory.put(scheduler, vm.layout.scheduler_data.run_queue, 0);
  VitalsReader none(vm.layout, machine->static_data(), vm.memory, machine->schedulers());
  const auto vitals = none.read();
  ASSERT_TRUE(vitals);
  EXPECT_TRUE(vitals->run_queues.empty());
  EXPECT_EQ(vitals->reductions, std::nullopt) << "absent, not 0";
}

TEST_P(VitalsTest, whatever_one_word_becomes_what_is_told_is_possible) {
  const auto looked = [&] {
    const auto vitals = reader->read();
    if (!vitals) return;
    ASSERT_LE(vitals->processes.value_or(0), vitals->process_limit.value_or(0));
    ASSERT_LE(vitals->atoms.value_or(0), vitals->atom_limit.value_or(0));
    for (const auto& queue : vitals->run_queues) ASSERT_LT(queue.length, std::uint64_t{1} << 31);
  };
  tests::with_each_word_corrupted(vm.memory, FakeVm::process_table, vm.layout.process_table.size,
                                  looked);
  tests::with_each_word_corrupted(vm.memory, FakeVm::atom_table, vm.layout.index_table.size,
                                  looked);
  for (const auto queue : queues)
    tests::with_each_word_corrupted(vm.memory, queue, vm.layout.run_queue.size, looked);
}

}  // namespace
}  // namespace beam_exporter::beam
