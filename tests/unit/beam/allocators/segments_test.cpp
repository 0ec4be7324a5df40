#include "beam/allocators/segments.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class SegmentsTest : public tests::EachRelease {
 protected:
  SegmentsTest() {
    vm.more_symbols = {{"erts_dflt_mmapper", mapper - tests::FakeVm::bias, 8},
                       {"erts_literals_start", literals - tests::FakeVm::bias, 8},
                       {"erts_literals_size", literals + 8 - tests::FakeVm::bias, 8}};
    vm.memory.put(literals, os::Address{0x7c0000000000});
    vm.memory.put(literals + 8, std::uint64_t{1} << 30);
    at = vm.layout.allocators;
    stride = (at.segment_cache.size + 63) / 64 * 64;
    caches = vm.allocate(cache_count * stride);
    for (std::uint32_t k = 0; k < cache_count; ++k) {
      vm.memory.put(caches + k * stride, at.segment_cache.index, static_cast<std::int32_t>(k));
      vm.memory.put(caches + k * stride, at.segment_cache.ready, 1);
    }
    vm.memory.put(caches_pointer, caches);
  }
  Segments segments() {
    auto attached = vm.attach();
    EXPECT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
    return Segments(vm.layout, attached_->static_data(), vm.memory);
  }
  // Two instances of eheap_alloc, one of literal_alloc.
  static AllocatorSet two_and_one() {
    AllocatorSet set;
    set.names = {"eheap_alloc", "literal_alloc"};
    set.instances.resize(3);
    set.instances[2].allocator = 1;
    return set;
  }
  void cache(std::uint32_t number, std::uint32_t slot, os::Address begin, std::uint64_t bytes) {
    const os::Address element = at.segment_cache.first_size.at(caches + number * stride) +
                                static_cast<os::Address>(slot) * at.cached_segment.size;
    vm.memory.put(element, bytes);
    vm.memory.put(element, at.cached_segment.segment, begin);
  }

  static constexpr os::Address mapper = tests::FakeVm::data_begin + 0x2000,
                               literals = tests::FakeVm::data_begin + 0x3000,
                               caches_pointer = tests::FakeVm::data_begin + 0x3100;
  static constexpr std::uint32_t cache_count = 3;
  AllocatorLayouts at;
  std::uint32_t stride = 0;
  os::Address caches = 0;
  std::unique_ptr<VirtualMachine> attached_;
};
INSTANTIATE_TEST_SUITE_P(Releases, SegmentsTest, tests::each_release, tests::release_name);

TEST_P(SegmentsTest, cached_is_what_was_taken_and_no_carrier_has) {
  vm.memory.put(mapper, at.mapper.from_system, std::uint64_t{100} << 20);
  vm.memory.put(mapper, at.mapper.super_aligned, std::uint64_t{20} << 20);
  vm.memory.put(mapper, at.mapper.super_unaligned, std::uint64_t{3} << 20);
  const AllocatorSet set = two_and_one();
  std::vector<AllocatorStatistics> statistics(3);
  statistics[0].segment_bytes = std::uint64_t{60} << 20;
  statistics[1].segment_bytes = std::uint64_t{40} << 20;
  statistics[2].segment_bytes = std::uint64_t{500} << 20;  // has a mapper of its own
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::uint64_t{23} << 20);
  statistics[0].segment_bytes = std::uint64_t{84} << 20;
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::nullopt) << "torn: carriers have more";
  vm.memory.put(mapper, at.mapper.from_system, ~std::uint64_t{0});
  EXPECT_EQ(segments().cached_bytes(set, {}), std::nullopt) << "absurd";
}

TEST_P(SegmentsTest, abandoned_carriers_that_may_be_from_malloc_leave_it_untold) {
  vm.memory.put(mapper, at.mapper.from_system, std::uint64_t{100} << 20);
  vm.memory.put(mapper, at.mapper.super_aligned, std::uint64_t{0});
  vm.memory.put(mapper, at.mapper.super_unaligned, std::uint64_t{0});
  const AllocatorSet set = two_and_one();
  std::vector<AllocatorStatistics> statistics(3);
  statistics[0].segment_bytes = std::uint64_t{60} << 20;
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::uint64_t{40} << 20) << "empty pools";
  statistics[0].pool.carrier_bytes = std::uint64_t{30} << 20;
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::nullopt) << "no counters";
  statistics[0].system_carriers_away = 1;
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::nullopt) << "counters of one only";
  // The second instance uses a carrier that the first made.
  statistics[1].system_carriers_away = ~std::uint64_t{0};
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::uint64_t{10} << 20);
  statistics[0].system_carriers_away = 2;
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::nullopt) << "one is in a pool";
  statistics[0].pool.carrier_bytes = 0;
  EXPECT_EQ(segments().cached_bytes(set, statistics), std::uint64_t{40} << 20) << "on its way back";
}

TEST_P(SegmentsTest, cached_segments_of_all_caches_in_order) {
  cache(0, 0, 0x7d0000400000, 0x40000);
  cache(0, 1, 0x7d0000000000, 0x40000);
  cache(2, 0, 0x7d0000040000, 0x1000);
  const auto found = segments().cached_segments();
  ASSERT_TRUE(found);
  const std::vector<os::AddressRange> expected = {{0x7d0000000000, 0x7d0000040000},
                                                  {0x7d0000040000, 0x7d0000041000},
                                                  {0x7d0000400000, 0x7d0000440000}};
  EXPECT_EQ(*found, expected);
}

TEST_P(SegmentsTest, a_cache_read_while_it_changed_is_not_trusted) {
  const Segments all = segments();
  cache(1, 0, 0x7d0000000000, 0);
  EXPECT_EQ(all.cached_segments(), std::nullopt) << "half of an entry";
  cache(1, 0, 0x7d0000000800, 0x1000);
  EXPECT_EQ(all.cached_segments(), std::nullopt) << "no page begins there";
  cache(1, 0, 0x7d0000000000, std::uint64_t{1} << 48);
  EXPECT_EQ(all.cached_segments(), std::nullopt) << "larger than memory";
  cache(1, 0, 0x7d0000000000, 0x2000);
  cache(2, 0, 0x7d0000001000, 0x2000);
  EXPECT_EQ(all.cached_segments(), std::nullopt) << "in two caches at once";
  cache(2, 0, 0x7d0000002000, 0x2000);
  EXPECT_TRUE(all.cached_segments());
  vm.memory.put(caches + stride, at.segment_cache.index, 7);
  EXPECT_EQ(all.cached_segments(), std::nullopt) << "no cache any more";
}

TEST_P(SegmentsTest, without_caches_there_are_none_to_tell) {
  vm.memory.put(caches_pointer, os::Address{0});
  EXPECT_EQ(segments().cached_segments(), std::nullopt);
  // One alone is no array of them.
  vm.memory.put(caches_pointer, caches);
  vm.memory.put(caches + stride, at.segment_cache.ready, 0);
  EXPECT_EQ(segments().cached_segments(), std::nullopt);
}

TEST_P(SegmentsTest, literals_are_where_the_vm_says) {
  const auto area = segments().literal_area();
  ASSERT_TRUE(area);
  EXPECT_EQ(area->begin, 0x7c0000000000U);
  EXPECT_EQ(area->end, 0x7c0040000000U);
  vm.memory.put(literals + 8, ~std::uint64_t{0});
  EXPECT_EQ(segments().literal_area(), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::beam
