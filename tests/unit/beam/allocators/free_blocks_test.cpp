#include "beam/allocators/free_blocks.h"

#include <gtest/gtest.h>

#include "fakes/corrupted.h"
#include "fakes/fake_allocators.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::AllocatorsInMemory;

class FreeBlocksTest : public tests::EachRelease {
 protected:
  // Of the instance of that strategy.
  FreeBlocks read(std::size_t k) {
    return read_free_blocks(vm.layout, vm.memory, allocators.set.instances[k]);
  }
  AllocatorsInMemory allocators{vm};
  const AllocatorLayouts& structs = vm.layout.allocators;
  static constexpr std::size_t best = 1, list = 2, buckets = 3;
};
INSTANTIATE_TEST_SUITE_P(Releases, FreeBlocksTest, tests::each_release, tests::release_name);

TEST_P(FreeBlocksTest, every_free_block_of_every_strategy) {
  for (const std::size_t k : {best, list, buckets}) {
    const auto found = read(k);
    ASSERT_TRUE(found.whole && !found.torn) << k;
    ASSERT_EQ(found.blocks.size(), 2U) << k;
    EXPECT_EQ(found.blocks[0].bytes, AllocatorsInMemory::smaller_free);
    EXPECT_EQ(found.blocks[1].bytes, AllocatorsInMemory::largest_free);
    EXPECT_EQ(found.blocks[1].address, allocators.free_blocks[k - 1][1]);
  }
}

TEST_P(FreeBlocksTest, blocks_of_equal_size_hang_in_lists_unless_told_otherwise) {
  const os::Address second = allocators.free_blocks[0][1];
  const os::Address third = second + (1 << 17);
  vm.memory.put_zeros(third, structs.best_fit_block.size);
  vm.memory.put(third, structs.best_fit_block.header, AllocatorsInMemory::largest_free | 1);
  vm.memory.put(second, structs.best_fit_block.next, third);
  EXPECT_EQ(read(best).blocks.size(), 3U);
  vm.memory.put(allocators.set.instances[best].address, structs.best_fit.address_order, 1);
  EXPECT_EQ(read(best).blocks.size(), 2U);
}

TEST_P(FreeBlocksTest, lists_that_bite_their_tail_are_left_alone_after_a_bounded_look) {
  for (const std::size_t k : {list, buckets}) {
    const auto next = k == list ? structs.a_fit_block.next : structs.good_fit_block.next;
    vm.memory.put(allocators.free_blocks[k - 1][1], next, allocators.free_blocks[k - 1][0]);
    const auto found = read(k);
    EXPECT_FALSE(found.whole) << k;
    EXPECT_TRUE(found.blocks.empty());
    EXPECT_LE(found.reads, 65536U);
  }
}

TEST_P(FreeBlocksTest, a_tree_that_bites_its_tail_is_torn) {
  const auto& blocks = allocators.free_blocks[0];
  for (const os::Address to : blocks) {
    vm.memory.put(blocks[1], structs.best_fit_block.left, to);
    EXPECT_TRUE(read(best).torn);
  }
}

TEST_P(FreeBlocksTest, a_block_that_is_not_free_is_torn) {
  for (const std::size_t k : {best, list, buckets}) {
    vm.memory.put(allocators.free_blocks[k - 1][1],
                  std::uint64_t{AllocatorsInMemory::largest_free});
    EXPECT_TRUE(read(k).torn) << k;
  }
}

TEST_P(FreeBlocksTest, memory_that_ends_is_torn) {
  for (const std::size_t k : {best, list, buckets}) {
    vm.memory.forget(allocators.free_blocks[k - 1][1] + 8, 1);
    EXPECT_TRUE(read(k).torn) << k;
  }
  vm.memory.forget(structs.good_fit.buckets.at(allocators.set.instances[buckets].address) + 2047,
                   1);
  EXPECT_TRUE(read(buckets).torn);
}

TEST_P(FreeBlocksTest, whatever_one_word_becomes_the_look_is_bounded) {
  for (const std::size_t k : {best, list, buckets})
    for (const os::Address block : allocators.free_blocks[k - 1])
      tests::with_each_word_corrupted(vm.memory, block, structs.best_fit_block.size, [&] {
        const auto found = read(k);
        ASSERT_LE(found.blocks.size(), 65536U);
        ASSERT_LE(found.reads, 70000U);
      });
}

}  // namespace
}  // namespace beam_exporter::beam
