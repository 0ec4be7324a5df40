#include "profile/stack_table.h"

#include <gtest/gtest.h>

#include <numeric>

namespace beam_exporter::profile {
namespace {

Function native(std::string name) { return {.name = std::move(name)}; }

TEST(StackTable, keeps_each_thing_once) {
  StackTable table;
  const auto a = table.frame(native("a"), 1), b = table.frame(native("b"), 0);
  EXPECT_NE(a, b);
  EXPECT_EQ(table.frame(native("a"), 1), a);
  EXPECT_NE(table.frame(native("a"), 2), a);  // another line of the same function
  EXPECT_EQ(table.functions().size(), 2u);
  const std::vector<Index> stack{*a, *b}, other{*b, *a};
  EXPECT_EQ(table.stack(stack), table.stack(stack));
  EXPECT_NE(table.stack(stack), table.stack(other));
  EXPECT_EQ(table.labels({.thread = "normal"}), table.labels({.thread = "normal"}));
  EXPECT_NE(table.labels({.thread = "normal"}), table.labels({.thread = "aux"}));
}

TEST(StackTable, takes_nothing_more_when_it_is_full_and_still_knows_what_it_has) {
  StackTable table;
  const auto first = table.frame(native("f0"), 0);
  for (std::size_t k = 1; k < StackTable::most_functions; ++k)
    ASSERT_TRUE(table.frame(native("f" + std::to_string(k)), 0));
  EXPECT_FALSE(table.frame(native("one more"), 0));
  EXPECT_EQ(table.frame(native("f0"), 0), first);
}

TEST(StackTable, bounds_the_frames_of_all_stacks) {
  StackTable table;
  std::vector<Index> deep(StackTable::most_depth);
  constexpr Index most = StackTable::most_stack_frames / StackTable::most_depth;
  for (Index k = 0; k < most; ++k) {
    deep.back() = k;
    ASSERT_TRUE(table.stack(deep));
  }
  deep.back() = most;
  EXPECT_FALSE(table.stack(deep));
  deep.back() = most - 1;
  EXPECT_TRUE(table.stack(deep));
}

TEST(StackTable, bounds_the_depth_of_a_stack) {
  StackTable table;
  EXPECT_TRUE(table.stack(std::vector<Index>(StackTable::most_depth)));
  EXPECT_FALSE(table.stack(std::vector<Index>(StackTable::most_depth + 1)));
}

}  // namespace
}  // namespace beam_exporter::profile
