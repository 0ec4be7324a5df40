#include "beam/processes/process_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "beam/processes/process_table.h"
#include "fakes/large_table.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using ::testing::ElementsAre;
using tests::FakeVm;

// What the VM does between two looks is done in before_read.
class ProcessScanTest : public tests::EachRelease {
 protected:
  std::optional<ProcessScan> scan() {
    seen.clear();
    return scan_processes(vm.layout, vm.memory, FakeVm::process_table,
                          [&](const ScannedProcess& process) { seen.push_back(process.id); });
  }
  Eterm id_of(os::Address process) {
    return *vm.memory.value<Eterm>(vm.layout.process.id.at(process));
  }
  // Calls `happens` once, before the struct of that process is read.
  void before_reading(os::Address process, std::function<void()> happens) {
    vm.memory.before_read = [=, done = false](os::Address from, std::size_t bytes) mutable {
      if (done || from > process || process >= from + bytes) return;
      done = true;
      happens();
    };
  }
  void empty_slot_of(os::Address process) {
    for (std::uint32_t slot = 0; slot < FakeVm::process_slots; ++slot) {
      auto table = ProcessTable::open(vm.layout, vm.memory, FakeVm::process_table);
      if (table->owns(slot, id_of(process))) vm.set_slot(slot, 0);
    }
  }

  std::vector<Eterm> seen;
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessScanTest, tests::each_release, tests::release_name);

TEST_P(ProcessScanTest, every_process_once) {
  const auto result = scan();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->processes, 3U);
  EXPECT_EQ(result->count, 3U);
  EXPECT_EQ(result->torn, 0U);
  EXPECT_THAT(seen,
              ElementsAre(id_of(vm.processes[0]), id_of(vm.processes[1]), id_of(vm.processes[2])));
}

TEST_P(ProcessScanTest, one_that_ends_meanwhile_is_left_out) {
  const auto ends = vm.processes[1];
  before_reading(ends, [=, this] {
    empty_slot_of(ends);
    vm.memory.put(ends, vm.layout.process.id, 0);
  });
  const auto result = scan();
  ASSERT_TRUE(result);
  EXPECT_THAT(seen, ElementsAre(id_of(vm.processes[0]), id_of(vm.processes[2])));
  EXPECT_EQ(result->torn, 1U);
}

TEST_P(ProcessScanTest, all_but_one_may_end_meanwhile) {
  for (int k = 0; k < 8; ++k) vm.spawn("demo", "start", 0);
  before_reading(vm.processes[0], [this] {
    for (std::size_t k = 0; k + 1 < vm.processes.size(); ++k) {
      empty_slot_of(vm.processes[k]);
      vm.memory.put(vm.processes[k], vm.layout.process.id, 0);
    }
  });
  ASSERT_TRUE(scan());
  EXPECT_THAT(seen, ElementsAre(id_of(vm.processes.back())));
}

TEST_P(ProcessScanTest, one_that_came_after_the_table_was_read_is_left_out) {
  const auto ends = vm.processes[1];
  const auto follows = vm.spawn("demo", "start", 0);
  const Eterm id = id_of(ends);
  vm.set_slot(3, 0);
  before_reading(ends, [=, this] {
    vm.memory.put(follows, vm.layout.process.id, id);
    vm.set_slot(1, follows);
    vm.memory.put(ends, vm.layout.process.id, 0);
  });
  const auto result = scan();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->processes, 2U);
  EXPECT_THAT(seen, ::testing::Not(::testing::Contains(id)));
}

TEST_P(ProcessScanTest, slots_that_stand_still_and_do_not_hold_their_own_are_a_contradiction) {
  for (std::uint32_t slot = 8; slot < 12; ++slot) vm.set_slot(slot, vm.processes[0]);
  EXPECT_FALSE(scan());
}

TEST_P(ProcessScanTest, a_large_table_is_read_until_all_are_found) {
  constexpr std::uint64_t slots = 8 * ProcessTable::slots_per_piece;
  // The slot of the id that the first process has in either release.
  const bool slot_above = vm.layout.process_table.pix_mask.width == 4;
  tests::put_large_table(vm, slots, slot_above ? 0 : 5 * FakeVm::process_slots, vm.processes[0]);
  vm.memory.put(FakeVm::process_table, vm.layout.process_table.count, 1);
  std::size_t pieces = 0;
  vm.memory.before_read = [&](os::Address, std::size_t bytes) {
    pieces += bytes == ProcessTable::slots_per_piece * 8 ? 1 : 0;
  };
  ASSERT_TRUE(scan());
  EXPECT_EQ(seen.size(), 1U);
  EXPECT_EQ(pieces, 1U);
  vm.memory.put(FakeVm::process_table, vm.layout.process_table.count, 2);
  ASSERT_TRUE(scan());
  EXPECT_EQ(pieces, 9U) << "one more may be anywhere";
}

TEST_P(ProcessScanTest, memory_that_is_gone) {
  vm.memory.put(FakeVm::process_table, vm.layout.process_table.tab, 0xdead0000);
  EXPECT_FALSE(scan());
}

}  // namespace
}  // namespace beam_exporter::beam
