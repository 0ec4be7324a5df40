#include "os/address.h"

#include <gtest/gtest.h>

namespace beam_exporter::os {
namespace {

constexpr Address top = ~Address{0};

TEST(CheckedAdd, a_sum_that_wraps_is_no_address) {
  EXPECT_EQ(checked_add(0x1000, 8), 0x1008u);
  EXPECT_EQ(checked_add(top, 0), top);
  EXPECT_EQ(checked_add(top - 8, 8), top);
  EXPECT_EQ(checked_add(top, 1), std::nullopt);
  EXPECT_EQ(checked_add(8, top), std::nullopt);
}

TEST(AddressRange, is_half_open) {
  const AddressRange range{0x1000, 0x2000};
  EXPECT_EQ(range.size(), 0x1000u);
  EXPECT_TRUE(range.contains(0x1000) && range.contains(0x1fff));
  EXPECT_FALSE(range.contains(0xfff) || range.contains(0x2000));
}

TEST(AddressRange, a_turned_one_is_empty) {
  const AddressRange turned{0x2000, 0x1000};
  EXPECT_EQ(turned.size(), 0u);
  EXPECT_FALSE(turned.contains(0x1800));
}

TEST(AddressRange, holds_a_piece_only_wholly) {
  const AddressRange range{0x1000, 0x2000};
  EXPECT_TRUE(range.contains(0x1000, 0x1000));
  EXPECT_FALSE(range.contains(0x1000, 0x1001));
  EXPECT_FALSE(range.contains(0x1ff9, 8));
  EXPECT_TRUE(range.contains(0x1ff8, 8));
  EXPECT_FALSE(range.contains(0x1800, top));  // would wrap
}

}  // namespace
}  // namespace beam_exporter::os
