#include "profile/formats/flame_tree.h"

#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

using std::chrono::milliseconds;

TEST(FlameTree, merges_stacks_from_the_bottom) {
  const auto root = flame_tree(small_profile());
  EXPECT_EQ(root.samples, 19u);
  EXPECT_EQ(root.cpu_time, milliseconds(190));
  const auto& run = root.children.at("shop:run/1");
  EXPECT_EQ(run.samples, 10u);
  EXPECT_EQ(run.self_samples, 0u);
  EXPECT_EQ(run.children.at("lists:sort/1").self_cpu_time, milliseconds(100));
  EXPECT_EQ(root.children.at("[signals]").self_samples, 4u);
}

TEST(FlameTree, keeps_the_states_of_what_is_a_functions_own) {
  Profile profile = small_profile();
  profile.entries.push_back({0, 1, 3, milliseconds(30)});
  const auto root = flame_tree(profile);
  const auto& run = root.children.at("shop:run/1");
  EXPECT_EQ(run.application, "shop");
  EXPECT_TRUE(run.self_states.empty());
  const auto& states = run.children.at("lists:sort/1").self_states;
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states.at("emulator").cpu_time, milliseconds(100));
  EXPECT_EQ(states.at("bif").samples, 3u);
}

TEST(FlameTree, takes_only_wanted_entries) {
  const auto root =
      flame_tree(small_profile(), [](const Entry& entry) { return entry.labels == 1; });
  EXPECT_EQ(root.samples, 5u);
  EXPECT_EQ(root.children.size(), 1u);
}

TEST(Folded, is_a_line_for_each_stack_of_functions) {
  EXPECT_EQ(folded(small_profile()),
            "MyApp.Foo.bar/1;shop:run/1;shop:run/1;lists:reverse/2;copy_struct 5\n"
            "[signals] 4\n"
            "shop:run/1;lists:sort/1 10\n");
}

TEST(Folded, keeps_its_own_separators_out_of_names) {
  Profile profile = small_profile();
  profile.functions[1].name = "a;b\nc/1";
  EXPECT_NE(folded(profile).find("shop:run/1;lists:a,b,c/1 10\n"), std::string::npos);
}

}  // namespace
}  // namespace beam_exporter::profile
