#include "commands/tools/top/screen_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::commands {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> texts(const TopScreenState& state, std::size_t height) {
  const auto profile = profile::small_profile();
  std::vector<std::string> texts;
  for (const auto& line : screen_lines(state, &profile, {height, 100})) texts.push_back(line.text);
  return texts;
}

TEST(ScreenLines, are_head_status_table_and_keys) {
  EXPECT_THAT(
      texts({}, 9),
      ElementsAre(HasSubstr("OTP 27"), HasSubstr("0.10 CPUs"), StartsWith("states: "),
                  "all functions, by self time", HasSubstr("self  +-"), HasSubstr("lists:sort/1"),
                  HasSubstr("lists:reverse/2"), HasSubstr("[signals]"), StartsWith("q quit")));
}

TEST(ScreenLines, are_as_many_as_the_screen_has) {
  for (const std::size_t height : {0, 1, 2, 5, 100})
    for (const bool help : {false, true}) EXPECT_EQ(texts({.help = help}, height).size(), height);
  EXPECT_THAT(texts({}, 1), ElementsAre(StartsWith("q quit")));
}

TEST(ScreenLines, tell_what_was_chosen) {
  EXPECT_THAT(texts({.choice = {.view = TopView::called, .by_inclusive = true, .filter = "li\x1b"},
                     .frozen = true},
                    20),
              Contains("FROZEN: BIFs and NIFs, by inclusive time, with 'li\\x1B' in the name"));
  EXPECT_THAT(texts({.choice = {.view = TopView::processes, .only_erlang = true}}, 20),
              Contains("processes, BIFs and NIFs count for their callers"));
  EXPECT_EQ(texts({.typed = "a\x1b"}, 20).back(), "part of the name: a\\x1B_");
}

TEST(ScreenLines, of_a_flame_graph_are_as_wide_as_the_screen_and_say_what_is_below) {
  const auto profile = profile::small_profile();
  const auto lines =
      screen_lines({.choice = {.view = TopView::flame, .filter = "shop"}}, &profile, {9, 60});
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[3].text, "flame graph, of stacks with 'shop' in a module's name");
  EXPECT_EQ(lines[4].text, "not shown: 3 deeper levels");
  EXPECT_EQ(lines[5].text.size(), 60u);
  EXPECT_THAT(lines[6].text, HasSubstr("[shop:run/1 67 %"));  // [signals] are left out
  ASSERT_EQ(lines[6].boxes.size(), 2u);
  EXPECT_EQ(lines[6].boxes[1].columns, 40u);
  EXPECT_THAT(lines[8].text, StartsWith("q quit"));
  for (std::size_t height = 0; height < 12; ++height)
    EXPECT_EQ(screen_lines({.choice = {.view = TopView::flame}}, &profile, {height, 0}).size(),
              height);
}

TEST(ScreenLines, of_help_have_no_table) {
  EXPECT_THAT(texts({.help = true}, 30), Contains(StartsWith("q       quit")));
  EXPECT_THAT(texts({.help = true}, 30), Not(Contains(HasSubstr("lists:sort/1"))));
}

TEST(ScreenLines, of_the_first_interval_say_so) {
  EXPECT_THAT(screen_lines({}, nullptr, {3, 80}).front().text, HasSubstr("first interval"));
}

}  // namespace
}  // namespace beam_exporter::commands
