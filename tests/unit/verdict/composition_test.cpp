#include "verdict/composition.h"

#include <gtest/gtest.h>

#include <numeric>

#include "unit/verdict/facts.h"

namespace beam_exporter::verdict {
namespace {

TEST(UseOf, a_carrier_by_what_is_free_in_it) {
  EXPECT_EQ(use_of(100, 76, 76), CarrierUse::nearly_empty);
  EXPECT_EQ(use_of(100, 75, 30), CarrierUse::small_holes);
  EXPECT_EQ(use_of(100, 60, 30), CarrierUse::large_holes);
  EXPECT_EQ(use_of(100, 60, std::nullopt), CarrierUse::small_holes) << "too many holes to look at";
  EXPECT_EQ(use_of(100, 25, 25), CarrierUse::well_used);
}

TEST(CarrierGroup, bounds_what_is_wasted_by_its_resident_pages) {
  CarrierGroup carriers{.bytes = 100, .block_bytes = 40};
  EXPECT_EQ(carriers.least_wasted(), 60);
  carriers.resident = 70;
  EXPECT_EQ(carriers.least_wasted(), 30) << "all blocks are resident";
  EXPECT_EQ(carriers.most_wasted(), 60) << "no page of 30 bytes of blocks was touched";
  carriers.resident = 20;
  EXPECT_EQ(carriers.least_wasted(), 0);
  EXPECT_EQ(carriers.most_wasted(), 20);
}

TEST(Composition, the_parts_add_up_and_the_largest_is_first) {
  MemoryFacts facts{.resident = 200, .pages_seen = true};
  facts.parts = {{"other", 30}, {"files", 40}};
  facts.allocators.resize(2);
  facts.allocators[0].name = "eheap_alloc";
  facts.allocators[0][CarrierUse::nearly_empty] = {.bytes = 100, .block_bytes = 20, .resident = 90};
  facts.allocators[0][CarrierUse::single_block] = {.bytes = 50, .block_bytes = 50, .resident = 40};
  facts.allocators[1].name = "literal_alloc";
  facts.allocators[1][CarrierUse::well_used] = {.bytes = 10, .block_bytes = 9};
  const auto parts = composition(facts);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].name, "free_in_carriers");
  EXPECT_EQ(parts[0].bytes, 70);
  EXPECT_EQ(parts[0].may_be_off, 10);
  EXPECT_EQ(parts[1].allocator, "eheap_alloc");
  EXPECT_EQ(parts[1].bytes, 60);
  EXPECT_EQ(parts[2].name, "files");
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0,
                            [](double sum, const Part& part) { return sum + part.bytes; }),
            facts.resident);
  for (const auto& part : parts) EXPECT_NE(part.meaning, "") << part.name;
}

}  // namespace
}  // namespace beam_exporter::verdict
