#include "profile/function_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

std::vector<std::string> lines_of(const TimesOf& of) {
  std::vector<std::string> lines;
  for (const auto& time : function_times(small_profile(), of))
    lines.push_back(time.function.text() + " " + std::to_string(time.self) + " " +
                    std::to_string(time.inclusive) + " " + time.state);
  return lines;
}

TEST(FunctionTimes, counts_c_code_for_the_function_that_called_it) {
  // shop:run/1 is twice on one stack, and counts once.
  EXPECT_THAT(
      lines_of({}),
      testing::ElementsAre("lists:sort/1 10 10 emulator", "lists:reverse/2 5 5 bif",
                           "[signals] 4 4 emulator", "shop:run/1 0 15 ", "MyApp.Foo.bar/1 0 5 "));
}

TEST(FunctionTimes, counts_bifs_for_the_erlang_function_below_when_asked) {
  EXPECT_THAT(lines_of({.only_erlang = true}),
              testing::ElementsAre("lists:sort/1 10 10 emulator", "shop:run/1 5 15 bif",
                                   "[signals] 4 4 emulator", "MyApp.Foo.bar/1 0 5 "));
}

TEST(FunctionTimes, functions_of_the_kernel_have_times_of_their_own) {
  auto profile = small_profile();
  profile.functions.push_back({.kind = FunctionKind::kernel, .name = "vfs_read"});
  profile.frames.push_back({6, 0});
  profile.stacks = {{7, 3, 1, 0}};
  profile.entries = {{0, 0, 5, {}}};
  const auto times = function_times(profile);
  ASSERT_EQ(times.size(), 3);
  EXPECT_EQ(times[0].function.text(), "vfs_read_[k]");
  EXPECT_EQ(times[0].self, 5);
  EXPECT_EQ(times[1].self, 0);
  const auto erlang = function_times(profile, {.only_erlang = true});
  ASSERT_EQ(erlang.size(), 2);
  EXPECT_EQ(erlang[0].function.text(), "lists:sort/1");
  EXPECT_EQ(erlang[0].self, 5);
}

// The stack of erlang:garbage_collect/0 has erts_internal:garbage_collect/1 as BIF and as its
// caller.
TEST(FunctionTimes, counts_a_bif_and_its_stub_as_one) {
  auto profile = small_profile();
  profile.functions.push_back(
      {.kind = FunctionKind::erlang, .module = "lists", .name = "reverse/2"});
  profile.frames.push_back({6, 0});
  profile.stacks.push_back({2, 7, 0});
  profile.entries = {{3, 1, 5, {}}};
  const auto times = function_times(profile);
  ASSERT_EQ(times.size(), 2);
  EXPECT_EQ(times[0].function.kind, FunctionKind::bif);
  EXPECT_EQ(times[1].function.text(), "shop:run/1");
  const auto erlang = function_times(profile, {.only_erlang = true});
  ASSERT_EQ(erlang.size(), 1);
  EXPECT_EQ(erlang[0].function.text(), "shop:run/1");
}

TEST(FunctionTimes, takes_the_wanted_samples) {
  EXPECT_THAT(lines_of({.wanted = [](const Labels& labels) { return labels.number == 1; }}),
              testing::ElementsAre("lists:sort/1 10 10 emulator", "[signals] 4 4 emulator",
                                   "shop:run/1 0 10 "));
}

TEST(FunctionTimes, tells_the_state_of_most_samples) {
  auto profile = small_profile();
  profile.labels.push_back({"normal", 1, "gc", "shop"});
  profile.entries.push_back({0, 2, 11, {}});
  EXPECT_EQ(function_times(profile).front().state, "gc");
}

TEST(ShareError, is_wide_for_few_samples_and_narrow_for_many) {
  EXPECT_NEAR(share_error(1000, 10000), 0.0059, 0.0001);
  EXPECT_GT(share_error(1, 10), 0.15);
  EXPECT_GT(share_error(0, 10), 0.1);
  EXPECT_EQ(share_error(0, 0), 1);
}

}  // namespace
}  // namespace beam_exporter::profile
