#include "beam/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::VmInMemory;

class ProcessTableTest : public tests::EachRelease {
 protected:
  std::optional<ProcessTable> read() {
    return read_process_table(vm.layout, vm.memory, VmInMemory::process_table);
  }
  template <class T>
  bool refused(Field<T> field, std::uint64_t value) {
    const auto good = *vm.memory.value<std::uint64_t>(field.at(VmInMemory::process_table));
    vm.memory.put(VmInMemory::process_table, field, static_cast<T>(value));
    const bool none = !read();
    vm.memory.put(field.at(VmInMemory::process_table), good);
    return none && read();
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessTableTest, tests::each_release, tests::release_name);

TEST_P(ProcessTableTest, every_live_process_and_nothing_else) {
  vm.spawn("demo", "start", 0);
  const auto table = read();
  ASSERT_TRUE(table);
  EXPECT_EQ(table->processes, vm.processes) << "free slots and the reserved one are left out";
  EXPECT_EQ(table->count, 4U);
  EXPECT_EQ(table->misplaced, 0U);
}

TEST_P(ProcessTableTest, an_id_of_another_slot_is_misplaced) {
  vm.set_slot(9, vm.processes[0]);
  const auto table = read();
  ASSERT_TRUE(table);
  EXPECT_EQ(table->processes, vm.processes);
  EXPECT_EQ(table->misplaced, 1U);
}

TEST_P(ProcessTableTest, what_is_no_process_is_misplaced) {
  vm.memory.put(vm.processes[1], vm.layout.process.id, 0x7);
  vm.set_slot(10, 0xdead0000);
  const auto table = read();
  ASSERT_TRUE(table);
  EXPECT_THAT(table->processes, ::testing::ElementsAre(vm.processes[0], vm.processes[2]));
  EXPECT_EQ(table->misplaced, 2U);
}

TEST_P(ProcessTableTest, a_process_may_end_between_the_two_looks) {
  vm.memory.before_read = [this](os::Address from, std::size_t) {
    if (from == vm.layout.process.id.at(vm.processes[2])) vm.memory.forget(from, 8);
  };
  const auto table = read();
  ASSERT_TRUE(table);
  EXPECT_EQ(table->processes.size(), 2U);
  EXPECT_EQ(table->misplaced, 1U);
}

TEST_P(ProcessTableTest, hostile_sizes_are_refused) {
  const auto& at = vm.layout.process_table;
  EXPECT_TRUE(refused(at.max, 0));
  EXPECT_TRUE(refused(at.max, 24));
  EXPECT_TRUE(refused(at.max, std::uint64_t{1} << 31));
  EXPECT_TRUE(refused(at.pix_mask, 7));
  EXPECT_TRUE(refused(at.tab, 0xdead0000));
  EXPECT_FALSE(read_process_table(vm.layout, vm.memory, 0xdead0000));
}

}  // namespace
}  // namespace beam_exporter::beam
