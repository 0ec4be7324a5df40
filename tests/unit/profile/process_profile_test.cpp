#include "profile/process_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/profile/small_process_profile.h"

namespace beam_exporter::profile {
namespace {

using testing::ElementsAre;

TEST(ProcessProfile, a_group_is_a_stack_whatever_the_status) {
  const auto groups = process_groups(small_process_profile(), ProcessOrder::processes);
  ASSERT_EQ(groups.size(), 2u) << "who runs or hibernates has no stack";
  EXPECT_EQ(groups[0].processes, 1002u);
  EXPECT_EQ(groups[0].heap_bytes, 80160u);
  EXPECT_THAT(groups[0].frames, ElementsAre("shop:loop/1 (shop.erl:10)"));
  EXPECT_THAT(groups[1].frames,
              ElementsAre("MyApp.Foo.bar/1 (foo.ex:20)", "... frames left out ...", "shop:loop/1"));
}

TEST(ProcessProfile, text_says_what_is_missing) {
  auto profile = small_process_profile();
  EXPECT_EQ(process_text(profile, ProcessOrder::processes, 1),
            "1008 processes, 2 different stacks, 1 running, 4 without a stack (they hibernate, or "
            "begin)\n\n1002 processes\n    shop:loop/1 (shop.erl:10)\n");
  profile.torn = 3;
  profile.lost = 2;
  EXPECT_THAT(process_text(profile, ProcessOrder::processes, 0),
              testing::EndsWith(", 3 ran or ended while they were read, 2 with one stack too many "
                                "to keep\n"));
}

TEST(ProcessProfile, the_heap_may_order_the_groups) {
  const auto text = process_text(small_process_profile(), ProcessOrder::heap, 1);
  EXPECT_THAT(text, testing::HasSubstr("\n1 processes, 5000000 bytes of heap\n    MyApp.Foo"));
}

}  // namespace
}  // namespace beam_exporter::profile
