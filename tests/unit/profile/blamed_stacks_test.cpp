#include "profile/blamed_stacks.h"

#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

TEST(Blame, takes_the_samples_that_were_marked) {
  Profile profile = small_profile();
  profile.labels[1].natives = {"garbage_collect", "copy_struct"};
  const auto blame = profile::blame(profile, "copy_struct");
  EXPECT_EQ(blame.samples, 5u);
  ASSERT_EQ(blame.functions.size(), 1u);
  EXPECT_EQ(blame.functions[0].text, "shop:run/1");  // lists:reverse/2 is a BIF
  EXPECT_EQ(blame.functions[0].samples, 5u);
  ASSERT_EQ(blame.stacks.size(), 1u);
  EXPECT_EQ(blame.stacks[0].text,
            "MyApp.Foo.bar/1;shop:run/1;shop:run/1;lists:reverse/2;copy_struct");
  EXPECT_EQ(profile::blame(profile, "memcpy").samples, 0u);
}

}  // namespace
}  // namespace beam_exporter::profile
