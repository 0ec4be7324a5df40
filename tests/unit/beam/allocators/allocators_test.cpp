#include "beam/allocators/allocators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/corrupted.h"
#include "fakes/fake_allocators.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::AllocatorsInMemory;

class AllocatorsTest : public tests::EachRelease {
 protected:
  std::optional<std::vector<AllocatorStatistics>> read() { return reader.read(); }
  // False when what is there now is refused, and counted.
  bool refused() {
    const auto before = reader.retries();
    return !read() && reader.retries() > before;
  }
  AllocatorsInMemory allocators{vm};
  AllocatorReader reader{vm.layout, vm.memory, allocators.set};
  const AllocatorLayouts& structs = vm.layout.allocators;
  os::Address instance(std::size_t k) const { return allocators.set.instances[k].address; }
};
INSTANTIATE_TEST_SUITE_P(Releases, AllocatorsTest, tests::each_release, tests::release_name);

TEST_P(AllocatorsTest, sums_of_every_strategy) {
  const auto all = read();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 4U);
  constexpr std::uint64_t MiB = AllocatorsInMemory::carrier_bytes;
  EXPECT_EQ((*all)[0].multi_block, (CarrierCounts{3, 3 * MiB, 30, 3 * MiB / 4}));
  EXPECT_EQ((*all)[0].single_block, (CarrierCounts{1, MiB, 1, MiB / 4}));
  EXPECT_EQ((*all)[0].pool, (CarrierCounts{1, MiB, 10, MiB / 4}));
  for (const auto& one : *all) EXPECT_EQ(one.largest_free, AllocatorsInMemory::largest_free);
  EXPECT_EQ(reader.retries(), 0U);
}

TEST_P(AllocatorsTest, carriers_from_malloc_that_the_instance_does_not_have) {
  const auto& at = structs.allocator;
  const std::uint32_t pair = structs.carrier_count.size;
  const auto second = [&](Field<std::uint64_t> first, std::uint64_t count,
                          Field<std::uint64_t> size, std::uint64_t bytes) {
    vm.memory.put(instance(0), Field<std::uint64_t>{first.offset + pair, first.width}, count);
    vm.memory.put(instance(0), Field<std::uint64_t>{size.offset + pair, size.width}, bytes);
  };
  const auto before = read();
  ASSERT_TRUE(before);
  EXPECT_EQ((*before)[0].system_carriers_away, 0U);
  EXPECT_EQ((*before)[0].segment_bytes, 4 * AllocatorsInMemory::carrier_bytes);
  // It made seven and freed one. It has two multi-block and three single-block ones.
  vm.memory.put(instance(0), at.system_allocs, 7);
  vm.memory.put(instance(0), at.system_frees, 1);
  second(at.mbcs_carriers, 2, at.mbcs_carrier_bytes, 2000);
  second(at.sbcs_carriers, 3, at.sbcs_carrier_bytes, 3000);
  vm.memory.put(instance(0), at.sbcs_blocks, 4);
  const auto all = read();
  ASSERT_TRUE(all);
  EXPECT_EQ((*all)[0].system_carriers_away, 1U);
  EXPECT_EQ((*all)[0].segment_bytes, 4 * AllocatorsInMemory::carrier_bytes);
  EXPECT_EQ((*all)[1].system_carriers_away, 0U);
  vm.memory.put(instance(0), at.system_frees, 3);
  EXPECT_EQ((*read())[0].system_carriers_away, ~std::uint64_t{0}) << "it has one of another's";
}

TEST_P(AllocatorsTest, an_instance_of_another_allocator_is_refused) {
  vm.memory.put(instance(1), structs.allocator.number, 3);
  EXPECT_TRUE(refused());
}

TEST_P(AllocatorsTest, absurd_sizes_are_refused) {
  const auto& at = structs.allocator;
  for (const auto field : {at.mbcs_carrier_bytes, at.mbcs_block_bytes, at.sbcs_block_bytes,
                           at.sbcs_carrier_bytes, at.pool_block_bytes, at.pool_carrier_bytes}) {
    const auto good = *vm.memory.value<std::uint64_t>(field.at(instance(0)));
    for (const std::uint64_t bad : {std::uint64_t{1} << 48, ~std::uint64_t{0}}) {
      vm.memory.put(instance(0), field, bad);
      EXPECT_TRUE(refused()) << field.offset;
    }
    vm.memory.put(instance(0), field, good);
  }
  EXPECT_TRUE(read());
}

TEST_P(AllocatorsTest, blocks_without_a_carrier_are_refused) {
  vm.memory.put(instance(2), structs.allocator.mbcs_carriers, 0);
  EXPECT_TRUE(refused());
}

TEST_P(AllocatorsTest, a_list_of_free_blocks_that_bites_its_tail_is_given_up) {
  for (const std::size_t k : {2, 3}) {
    const auto& blocks = allocators.free_blocks[k - 1];
    const auto next = k == 2 ? structs.a_fit_block.next : structs.good_fit_block.next;
    vm.memory.put(blocks[1], next, blocks[0]);
    const auto before = vm.memory.reads();
    EXPECT_TRUE(refused()) << k;
    EXPECT_LT(vm.memory.reads() - before, 5 * 4200U);
    vm.memory.put(blocks[1], next, 0);
  }
  EXPECT_TRUE(read());
}

TEST_P(AllocatorsTest, a_tree_of_free_blocks_that_bites_its_tail_is_given_up) {
  const auto& blocks = allocators.free_blocks[0];
  vm.memory.put(blocks[1], structs.best_fit_block.right, blocks[0]);
  EXPECT_TRUE(refused());
}

TEST_P(AllocatorsTest, a_tree_root_that_is_no_root_or_another_s_is_refused) {
  const auto& at = structs.first_fit_carrier;
  vm.memory.put(allocators.tree[0], at.parent, allocators.tree[1]);
  EXPECT_TRUE(refused());
  vm.memory.put(allocators.tree[0], at.parent, 0);
  vm.memory.put(allocators.tree[0], structs.carrier.owner, instance(1));
  EXPECT_TRUE(refused());
}

TEST_P(AllocatorsTest, one_torn_reading_is_read_again) {
  const auto field = structs.allocator.mbcs_block_bytes;
  const auto good = *vm.memory.value<std::uint64_t>(field.at(instance(0)));
  vm.memory.put(instance(0), field, ~std::uint64_t{0});
  int looks = 0;
  vm.memory.before_read = [&](os::Address from, std::size_t) {
    if (from == instance(0) && ++looks == 2) vm.memory.put(instance(0), field, good);
  };
  EXPECT_TRUE(read());
  EXPECT_EQ(reader.retries(), 1U);
}

TEST_P(AllocatorsTest, whatever_one_word_becomes_the_sums_are_possible_or_refused) {
  std::size_t refusals = 0;
  for (const auto& piece : allocators.pieces)
    tests::with_each_word_corrupted(vm.memory, piece.begin, piece.bytes, [&] {
      const auto before = vm.memory.reads();
      const auto all = read();
      ASSERT_LT(vm.memory.reads() - before, 5 * 4200U);
      if (!all) ++refusals;
      if (!all) return;
      for (const auto& one : *all) {
        ASSERT_LE(one.multi_block.block_bytes, one.multi_block.carrier_bytes);
        ASSERT_LE(one.single_block.block_bytes, one.single_block.carrier_bytes);
        ASSERT_LE(one.pool.block_bytes, one.pool.carrier_bytes);
        ASSERT_LE(one.multi_block.carrier_bytes + one.pool.carrier_bytes, std::uint64_t{1} << 50);
        ASSERT_LE(one.largest_free, one.free_bytes);
      }
    });
  EXPECT_GT(refusals, 100U);
  EXPECT_TRUE(read()) << "as it was";
}

}  // namespace
}  // namespace beam_exporter::beam
