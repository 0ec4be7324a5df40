#include "beam/processes/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fakes/large_table.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::FakeVm;

class ProcessTableTest : public tests::EachRelease {
 protected:
  std::optional<ProcessTable> open() {
    return ProcessTable::open(vm.layout, vm.memory, FakeVm::process_table);
  }
  std::vector<ProcessTable::Used> used(ProcessTable& table) {
    std::vector<ProcessTable::Used> all, piece;
    for (std::uint64_t k = 0; k < table.pieces(); ++k) {
      EXPECT_TRUE(table.read_piece(k, piece));
      all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
  }
  Eterm id_of(os::Address process) {
    return *vm.memory.value<Eterm>(vm.layout.process.id.at(process));
  }
  template <class T>
  bool refused(Field<T> field, std::uint64_t value) {
    const auto good = *vm.memory.value<std::uint64_t>(field.at(FakeVm::process_table));
    vm.memory.put(FakeVm::process_table, field, static_cast<T>(value));
    const bool none = !open();
    vm.memory.put(field.at(FakeVm::process_table), good);
    return none && open();
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessTableTest, tests::each_release, tests::release_name);

TEST_P(ProcessTableTest, every_used_slot_and_nothing_else) {
  vm.spawn("demo", "start", 0);
  auto table = open();
  ASSERT_TRUE(table);
  std::vector<os::Address> processes;
  for (const auto& [slot, process] : used(*table)) {
    processes.push_back(process);
    EXPECT_TRUE(table->owns(slot, id_of(process)));
    EXPECT_FALSE(table->owns(slot + 1, id_of(process)));
    EXPECT_FALSE(table->owns(slot, id_of(process) ^ 4)) << "a port's id";
  }
  EXPECT_EQ(processes, vm.processes) << "free slots and the reserved one are left out";
  EXPECT_EQ(table->count(), 4U);
}

TEST_P(ProcessTableTest, looked_at_again_a_slot_tells_what_it_holds_by_now) {
  auto table = open();
  ASSERT_TRUE(table);
  auto slots = used(*table);
  ASSERT_EQ(slots.size(), 3U);
  vm.set_slot(static_cast<std::uint32_t>(slots[0].slot), 0);
  vm.set_slot(static_cast<std::uint32_t>(slots[1].slot), vm.processes[0]);
  table->look_again(slots);
  EXPECT_EQ(slots[0].process, 0U);
  EXPECT_EQ(slots[1].process, vm.processes[0]);
  EXPECT_EQ(slots[2].process, vm.processes[2]);
}

TEST_P(ProcessTableTest, all_are_found_when_as_many_are_counted_and_still_there) {
  auto table = open();
  ASSERT_TRUE(table);
  const auto slots = used(*table);
  EXPECT_TRUE(table->are_all(slots));
  EXPECT_FALSE(table->are_all(std::span(slots).first(2)));
  vm.set_slot(static_cast<std::uint32_t>(slots[0].slot), vm.processes[1]);
  EXPECT_FALSE(table->are_all(slots)) << "one has ended, another has come";
}

TEST_P(ProcessTableTest, a_table_of_many_slots_is_read_in_pieces) {
  constexpr std::uint64_t slots = 4 * ProcessTable::slots_per_piece;
  tests::put_large_table(vm, slots, slots - 1, vm.processes[0]);
  auto table = open();
  ASSERT_TRUE(table);
  EXPECT_EQ(table->pieces(), 4U);
  std::size_t largest = 0;
  vm.memory.before_read = [&](os::Address, std::size_t bytes) {
    largest = std::max(largest, bytes);
  };
  const auto found = used(*table);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].slot, slots - 1);
  EXPECT_EQ(largest, ProcessTable::slots_per_piece * 8);
  std::vector<ProcessTable::Used> none;
  EXPECT_FALSE(table->read_piece(4, none));
}

TEST_P(ProcessTableTest, hostile_sizes_are_refused) {
  const auto& at = vm.layout.process_table;
  EXPECT_TRUE(refused(at.max, 0));
  EXPECT_TRUE(refused(at.max, 24));
  EXPECT_TRUE(refused(at.max, std::uint64_t{1} << 31));
  EXPECT_TRUE(refused(at.pix_mask, 7));
  EXPECT_TRUE(refused(at.tab, ~std::uint64_t{0} - 64));
  EXPECT_FALSE(ProcessTable::open(vm.layout, vm.memory, 0xdead0000));
  vm.memory.put(FakeVm::process_table, at.tab, 0xdead0000);
  std::vector<ProcessTable::Used> none;
  EXPECT_FALSE(open()->read_piece(0, none));
}

}  // namespace
}  // namespace beam_exporter::beam
