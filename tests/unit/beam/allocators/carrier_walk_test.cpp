#include "beam/allocators/carrier_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fakes/corrupted.h"
#include "fakes/fake_allocators.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::AllocatorsInMemory;

class CarrierWalkTest : public tests::EachRelease {
 protected:
  CarrierWalk walk() { return walk_carriers(vm.layout, vm.memory, allocators.set, reader); }
  // Refused in a bounded number of reads, and counted.
  bool refused() {
    const auto before = vm.memory.reads();
    const auto found = walk();
    EXPECT_LT(vm.memory.reads() - before, 5000U);
    return !found.whole && found.carriers.empty() && found.retries == 5;
  }
  os::Address instance(std::size_t k) const { return allocators.set.instances[k].address; }

  AllocatorsInMemory allocators{vm};
  AllocatorReader reader{vm.layout, vm.memory, allocators.set};
  const AllocatorLayouts& structs = vm.layout.allocators;
};
INSTANTIATE_TEST_SUITE_P(Releases, CarrierWalkTest, tests::each_release, tests::release_name);

TEST_P(CarrierWalkTest, every_carrier_of_every_strategy) {
  const auto found = walk();
  ASSERT_TRUE(found.whole);
  EXPECT_EQ(found.retries, 0U);
  ASSERT_EQ(found.carriers.size(), 8U);
  for (const auto& carrier : found.carriers) {
    EXPECT_EQ(carrier.size, AllocatorsInMemory::carrier_bytes);
    EXPECT_EQ(carrier.single_block, carrier.address == allocators.single_block);
    EXPECT_EQ(carrier.pooled, carrier.address == allocators.pooled);
    if (carrier.single_block) continue;
    EXPECT_EQ(carrier.used, AllocatorsInMemory::used_bytes);
    EXPECT_EQ(carrier.largest, AllocatorsInMemory::largest_free);
  }
}

TEST_P(CarrierWalkTest, a_tree_that_leads_back_to_itself_is_refused) {
  const auto& at = structs.first_fit_carrier;
  const std::uint64_t node = at.largest.offset;
  for (const os::Address to : {allocators.tree[0], allocators.tree[1], allocators.tree[2]}) {
    vm.memory.put(allocators.tree[2], at.left, to + node);
    EXPECT_TRUE(refused());
  }
}

TEST_P(CarrierWalkTest, lists_that_bite_their_tail_are_refused) {
  const auto next = structs.carrier.next;
  vm.memory.put(allocators.lists[0], next, allocators.lists[0]);
  EXPECT_TRUE(refused());
  vm.memory.put(allocators.lists[0], next, 0);
  vm.memory.put(allocators.single_block, next, allocators.single_block);
  EXPECT_TRUE(refused());
}

TEST_P(CarrierWalkTest, a_pool_that_leads_back_to_itself_is_refused) {
  const os::Address link = allocators.pooled + structs.carrier.pool.offset;
  vm.memory.put(allocators.pooled, structs.carrier.pool_next, link);
  EXPECT_TRUE(refused());
  // And when each look finds the pointer back that it expects.
  vm.memory.before_read = [&](os::Address from, std::size_t) {
    static int looks = 0;
    if (from == allocators.pooled)
      vm.memory.put(allocators.pooled, structs.carrier.pool_previous,
                    looks++ % 2 == 0 ? allocators.sentinel : link);
  };
  EXPECT_TRUE(refused());
}

TEST_P(CarrierWalkTest, heads_that_tell_nothing_like_what_is_counted_are_refused) {
  const auto used = structs.carrier.used_bytes;
  for (const auto carrier : allocators.tree) vm.memory.put(carrier, used, 0);
  EXPECT_TRUE(walk().whole) << "one of four is still full: blocks came and went";
  vm.memory.put(allocators.pooled, used, 0);
  EXPECT_TRUE(refused());
}

TEST_P(CarrierWalkTest, wild_pointers_are_refused) {
  const auto refuses = [&](os::Address place) {
    const auto good = *vm.memory.value<std::uint64_t>(place);
    for (const os::Address wild : {os::Address{0xdead0000}, ~os::Address{0} - 63}) {
      vm.memory.put(place, wild);
      EXPECT_TRUE(refused()) << std::hex << place;
    }
    vm.memory.put(place, good);
  };
  refuses(structs.allocator.multi_block_list.at(instance(1)));
  refuses(structs.allocator.single_block_list.at(instance(0)));
  refuses(structs.first_fit_carrier.left.at(allocators.tree[0]));
  refuses(structs.carrier.next.at(allocators.lists[1]));
  refuses(structs.carrier.next.at(allocators.single_block));
  refuses(structs.pool_data.next.at(allocators.sentinel));
  refuses(structs.a_fit_block.next.at(allocators.free_blocks[1][0]));
  EXPECT_TRUE(walk().whole);
}

TEST_P(CarrierWalkTest, absurd_sizes_are_refused) {
  const auto& at = structs.carrier;
  for (const os::Address carrier : {allocators.tree[1], allocators.lists[2], allocators.pooled}) {
    const auto used = *vm.memory.value<std::uint64_t>(at.used_bytes.at(carrier));
    vm.memory.put(carrier, at.used_bytes, ~std::uint64_t{0});
    EXPECT_TRUE(refused());
    vm.memory.put(carrier, at.used_bytes, used);
    vm.memory.put(carrier, at.header, std::uint64_t{1} << 50);
    EXPECT_TRUE(refused());
    vm.memory.put(carrier, at.header, 0);
    EXPECT_TRUE(refused() || carrier == allocators.pooled);
    vm.memory.put(carrier, at.header, AllocatorsInMemory::carrier_bytes);
  }
  EXPECT_TRUE(walk().whole);
}

TEST_P(CarrierWalkTest, whatever_one_word_becomes_the_carriers_are_possible_or_refused) {
  std::size_t refusals = 0;
  for (const auto& piece : allocators.pieces)
    tests::with_each_word_corrupted(vm.memory, piece.begin, piece.bytes, [&] {
      const auto before = vm.memory.reads();
      const auto found = walk();
      ASSERT_LT(vm.memory.reads() - before, 1000000U);
      if (!found.whole) ++refusals;
      std::uint64_t total = 0;
      for (const auto& carrier : found.carriers) {
        total += carrier.size;
        ASSERT_LE(carrier.used + carrier.head, carrier.size);
        ASSERT_LE(carrier.largest.value_or(0), carrier.single_block ? 0 : carrier.free());
      }
      ASSERT_LE(total, 9 * AllocatorsInMemory::carrier_bytes);
    });
  EXPECT_GT(refusals, 100U);
  EXPECT_TRUE(walk().whole) << "as it was";
}

}  // namespace
}  // namespace beam_exporter::beam
