#include "profile/difference.h"

#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

TEST(Difference, compares_cpu_time_per_second) {
  const Profile before = small_profile();
  Profile after = small_profile();
  after.duration *= 2;             // as much work in twice the time: half of it
  after.entries[0].samples *= 10;  // lists:sort/1
  after.entries[0].cpu_time *= 10;
  const auto changes = difference(before, after);
  ASSERT_EQ(changes.size(), 5u);
  EXPECT_EQ(changes[0].function.text(), "lists:sort/1");
  EXPECT_NEAR(changes[0].self_before, 0.05, 1e-9);
  EXPECT_NEAR(changes[0].self_after, 0.25, 1e-9);
  EXPECT_GT(changes[0].error, 0.01);
  EXPECT_LT(changes[0].error, 0.1);
  EXPECT_EQ(changes[1].function.text(), "lists:reverse/2");
  EXPECT_NEAR(changes[1].self_after, 0.0125, 1e-9);
}

TEST(Difference, of_a_profile_and_itself_is_nothing) {
  for (const auto& change : difference(small_profile(), small_profile()))
    EXPECT_EQ(change.self_before, change.self_after);
}

TEST(Difference, has_functions_of_either_side) {
  const auto gone = difference(small_profile(), {}), came = difference({}, small_profile());
  ASSERT_EQ(gone.size(), 5u);
  ASSERT_EQ(came.size(), 5u);
  EXPECT_GT(gone[0].self_before, 0);
  EXPECT_EQ(gone[0].self_after, 0);
  EXPECT_GT(came[0].self_after, 0);
}

}  // namespace
}  // namespace beam_exporter::profile
