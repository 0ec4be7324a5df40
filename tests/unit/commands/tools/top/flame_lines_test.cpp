#include "commands/tools/top/flame_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/stack_table.h"
#include "unit/profile/small_profile.h"

namespace beam_exporter::commands {
namespace {

using profile::FunctionKind;
using testing::ElementsAre;

std::vector<std::string> texts(const FlameLines& lines) {
  std::vector<std::string> texts;
  for (const auto& level : lines.levels) texts.push_back(level.text);
  return texts;
}

profile::FlameNode node(std::uint64_t samples,
                        std::map<std::string, profile::FlameNode> children = {}) {
  profile::FlameNode made;
  made.samples = samples;
  made.children = std::move(children);
  return made;
}

TEST(FlameLines, are_boxes_below_their_callers_as_wide_as_their_share) {
  // 19 samples: 5 of MyApp.Foo.bar/1, 4 of [signals], 10 of shop:run/1, two columns each.
  const auto lines = flame_lines(profile::flame_tree(profile::small_profile()), 38, 10);
  EXPECT_THAT(texts(lines), ElementsAre("[all 100 %                           ]",
                                        "[MyApp.Fo][[signa][shop:run/1 53 %   ]",
                                        "[shop:run]        [lists:sort/1 53 % ]",  //
                                        "[shop:run]", "[lists:re]", "[copy_str]"));
  const auto& box = lines.levels[1].boxes[2];
  EXPECT_EQ(box.begin, 18u);
  EXPECT_EQ(box.columns, 20u);
  EXPECT_EQ(box.samples, 10u);
  EXPECT_EQ(box.kind, FunctionKind::erlang);
  EXPECT_EQ(lines.levels[5].boxes[0].kind, FunctionKind::native);
  EXPECT_EQ(left_out_text(lines, 19), "");
}

TEST(FlameLines, say_what_does_not_fit) {
  const auto root = node(1000, {{"a", node(700, {{"b", node(700, {{"c", node(300)}})}})},
                                {"n", node(20, {{"below", node(20)}})},
                                {"o", node(20)},
                                {"z", node(100)}});
  const auto lines = flame_lines(root, 10, 2);
  EXPECT_THAT(texts(lines), ElementsAre("[all     ]", "[a    ]|"));
  EXPECT_EQ(lines.narrow_boxes, 2u);
  EXPECT_EQ(left_out_text(lines, root.samples),
            "not shown: 2 boxes narrower than a column (4.00 % of the samples), 2 deeper levels");
  EXPECT_EQ(left_out_text(flame_lines(root, 200, 2), root.samples), "not shown: 2 deeper levels");
}

TEST(FlameLines, cut_names_by_characters_that_cannot_steer_a_terminal) {
  const auto lines = flame_lines(node(10, {{"äöüß:x/1", node(5)}, {"\x1b[2J", node(5)}}), 12, 9);
  EXPECT_THAT(texts(lines), ElementsAre("[all 100 % ]", "[\\x1B][äöüß]"));
}

TEST(FlameLines, are_of_the_deepest_stack_that_a_profile_may_have) {
  auto profile = profile::small_profile();
  profile.stacks[profile.entries[0].stack].assign(profile::StackTable::most_depth, 0);
  const auto lines = flame_lines(profile::flame_tree(profile), 80, 5000);
  EXPECT_EQ(lines.levels.size(), 4097u);
}

TEST(FlameLines, of_nothing_and_of_no_space_are_none) {
  EXPECT_TRUE(flame_lines({}, 80, 10).levels.empty());
  const auto some = profile::flame_tree(profile::small_profile());
  EXPECT_TRUE(flame_lines(some, 0, 10).levels.empty());
  const auto flat = flame_lines(some, 80, 0);
  EXPECT_TRUE(flat.levels.empty());
  EXPECT_EQ(flat.levels_below, 6u);
}

}  // namespace
}  // namespace beam_exporter::commands
