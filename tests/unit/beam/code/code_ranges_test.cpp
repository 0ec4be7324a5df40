#include "beam/code/code_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::FakeVm;

class CodeRangesTest : public tests::EachRelease {
 protected:
  std::vector<os::Address> find() {
    const elf::Image image = vm.image();
    const auto data = StaticData::read(image, FakeVm::bias, vm.memory);
    return data ? find_code_ranges(vm.layout, *data, vm.memory) : std::vector<os::Address>{};
  }
  std::optional<CodeRanges> read() {
    return read_code_ranges(vm.layout, vm.memory, vm.code_place());
  }
  os::Address active_table() const {
    return FakeVm::ranges + std::uint64_t{vm.active_index()} * vm.layout.ranges.size;
  }
  os::Address entries() const {
    return *vm.memory.value<os::Address>(vm.layout.ranges.modules.at(active_table()));
  }
  // A triple of tables that looks likelier than the real one and leads to no modules.
  void put_decoy(os::Address at) {
    constexpr std::size_t count = 9;
    const os::Address array = vm.allocate(count * vm.layout.range.size);
    for (std::size_t k = 0; k < count; ++k) {
      const os::Address entry = array + k * vm.layout.range.size, code = vm.allocate(4096);
      vm.memory.put(entry, vm.layout.range.start, code);
      vm.memory.put(entry, vm.layout.range.end, code + 4096);
    }
    const auto& table = vm.layout.ranges;
    for (int k = 0; k < 3; ++k, at += table.size) {
      vm.memory.put(at, table.modules, array);
      vm.memory.put(at, table.count, count);
      vm.memory.put(at, table.allocated, count);
      vm.memory.put(at, table.mid, array);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, CodeRangesTest, tests::each_release, tests::release_name);

TEST_P(CodeRangesTest, found_by_shape_among_random_words) {
  std::mt19937_64 random(20240607);
  for (os::Address at = FakeVm::ranges + 3 * vm.layout.ranges.size;
       at < FakeVm::data_begin + FakeVm::data_bytes; at += 8)
    vm.memory.put(at, random() >> (random() % 60));
  EXPECT_THAT(find(), ElementsAre(FakeVm::ranges));
}

TEST_P(CodeRangesTest, found_when_only_one_table_was_ever_filled) {
  vm.memory.put_zeros(FakeVm::ranges, 3 * vm.layout.ranges.size);
  vm.set_active_index(2);
  vm.commit();  // into table 0
  EXPECT_THAT(find(), Contains(FakeVm::ranges));
  EXPECT_TRUE(read());
}

TEST_P(CodeRangesTest, one_implausible_table_rules_the_place_out) {
  const os::Address former =
      FakeVm::ranges + std::uint64_t{(vm.active_index() + 2) % 3} * vm.layout.ranges.size;
  const auto& table = vm.layout.ranges;
  for (const os::Address wrong : {former, active_table()}) {
    const auto count = *vm.memory.value<std::uint64_t>(table.count.at(wrong));
    const auto mid = *vm.memory.value<std::uint64_t>(table.mid.at(wrong));
    vm.memory.put(wrong, table.count, 100);  // more than allocated
    EXPECT_THAT(find(), Not(Contains(FakeVm::ranges)));
    vm.memory.put(table.count.at(wrong), count);
    vm.memory.put(wrong, table.mid, 8);
    EXPECT_THAT(find(), Not(Contains(FakeVm::ranges)));
    vm.memory.put(table.mid.at(wrong), mid);
    ASSERT_THAT(find(), ElementsAre(FakeVm::ranges));
  }
}

// Also what a load that was given up leaves behind, until the next one.
TEST_P(CodeRangesTest, found_while_a_load_is_being_staged) {
  const os::Address staging =
      FakeVm::ranges + std::uint64_t{(vm.active_index() + 1) % 3} * vm.layout.ranges.size;
  const auto& table = vm.layout.ranges;
  vm.memory.put(staging, table.modules, 0x7f00dead0000);  // new, and gone again
  vm.memory.put(staging, table.allocated, 1);             // less than its former count
  EXPECT_THAT(find(), ElementsAre(FakeVm::ranges));
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_EQ((*attached)->code_place().ranges, FakeVm::ranges);
  vm.memory.put(staging, table.allocated, std::int64_t{1} << 40);
  EXPECT_THAT(find(), Not(Contains(FakeVm::ranges))) << "anything does not do";
}

TEST_P(CodeRangesTest, a_decoy_is_found_too_and_decoding_decides) {
  const os::Address decoy = FakeVm::data_begin + 0x920;
  put_decoy(decoy);
  EXPECT_THAT(find(), ElementsAre(decoy, FakeVm::ranges));
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_EQ((*attached)->code_place().ranges, FakeVm::ranges);
}

// One table earlier or later the shape holds as well, when zeros lie there: the active index would
// then lead to a list of former times.
TEST_P(CodeRangesTest, off_by_one_table_is_not_found) {
  ASSERT_EQ(*vm.memory.value<os::Address>(FakeVm::ranges - vm.layout.ranges.size), 0U);
  EXPECT_THAT(find(), ElementsAre(FakeVm::ranges));
  vm.memory.put_zeros(FakeVm::ranges, vm.layout.ranges.size);
  vm.set_active_index(0);
  vm.commit();  // into table 1
  ASSERT_EQ(vm.active_index(), 1U);
  vm.memory.put_zeros(FakeVm::ranges + 2 * vm.layout.ranges.size, vm.layout.ranges.size);
  vm.load({"demo", {{"f", 0}}});  // into table 2: table 0 is empty
  EXPECT_THAT(find(), ElementsAre(FakeVm::ranges));
}

TEST_P(CodeRangesTest, nothing_is_found_in_a_vm_without_code) {
  vm.memory.put_zeros(FakeVm::ranges, 3 * vm.layout.ranges.size);
  EXPECT_THAT(find(), IsEmpty());
  const auto attached = vm.attach();
  ASSERT_FALSE(attached);
  EXPECT_EQ(attached.error().kind, os::ErrorKind::malformed);
}

TEST_P(CodeRangesTest, reads_the_active_table_in_order) {
  const auto ranges = read();
  ASSERT_TRUE(ranges);
  EXPECT_THAT(ranges->ranges, ElementsAre(vm.erlang, vm.init, vm.erl_prim_loader));
  EXPECT_EQ(ranges->active_index, vm.active_index());
}

TEST_P(CodeRangesTest, purged_entries_are_left_out) {
  vm.purge(vm.init);
  const auto ranges = read();
  ASSERT_TRUE(ranges);
  EXPECT_THAT(ranges->ranges, ElementsAre(vm.erlang, vm.erl_prim_loader));
}

TEST_P(CodeRangesTest, an_index_that_moves_while_reading_is_torn) {
  const os::Address watched = entries();
  bool moved = false;
  vm.memory.before_read = [&](os::Address from, std::size_t) {
    if (from != watched || moved) return;
    moved = true;
    vm.set_active_index((vm.active_index() + 1) % 3);
  };
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_TRUE(moved);
}

TEST_P(CodeRangesTest, hostile_tables_are_refused) {
  const auto& table = vm.layout.ranges;
  const auto refused = [&](auto field, auto value) {
    const auto good = *vm.memory.value<std::uint64_t>(field.at(active_table()));
    vm.memory.put(active_table(), field, value);
    const bool none = !read();
    vm.memory.put(field.at(active_table()), good);
    return none && read().has_value();
  };
  EXPECT_TRUE(refused(table.count, std::int64_t{1} << 40));
  EXPECT_TRUE(refused(table.count, -1));
  EXPECT_TRUE(refused(table.count, 0));
  EXPECT_TRUE(refused(table.allocated, std::int64_t{1} << 40));
  EXPECT_TRUE(refused(table.allocated, 1));
  EXPECT_TRUE(refused(table.modules, 0));
  EXPECT_TRUE(refused(table.modules, 0xdead0000));
  EXPECT_TRUE(refused(table.mid, entries() - 16));
  EXPECT_TRUE(refused(table.mid, entries() + 8));
}

TEST_P(CodeRangesTest, disorder_in_the_entries_is_refused) {
  const auto second = entries() + vm.layout.range.size;
  vm.memory.put(second, vm.layout.range.start, vm.erlang.end - 8);  // overlaps the first
  EXPECT_EQ(read(), std::nullopt);
  vm.memory.put(second, vm.layout.range.start, vm.init.end + 8);  // ends before it starts
  EXPECT_EQ(read(), std::nullopt);
}

TEST_P(CodeRangesTest, an_impossible_or_unreadable_index_is_refused) {
  vm.set_active_index(3);
  EXPECT_EQ(read(), std::nullopt);
  vm.memory.forget(FakeVm::active_index_place, 4);
  EXPECT_EQ(read(), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::beam
