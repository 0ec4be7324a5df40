#include "commands/tools/top/keys.h"

#include <gtest/gtest.h>

#include <string_view>

namespace beam_exporter::commands {
namespace {

TopScreenState after(std::string_view keys, TopScreenState state = {}) {
  for (const char key : keys) press(state, static_cast<unsigned char>(key));
  return state;
}

TEST(Keys, choose_the_view_and_the_order) {
  EXPECT_EQ(after("b").choice.view, TopView::called);
  EXPECT_EQ(after("bp").choice.view, TopView::processes);
  EXPECT_EQ(after("bb").choice.view, TopView::functions);
  EXPECT_EQ(after("pp").choice.view, TopView::functions);
  EXPECT_EQ(after("t").choice.view, TopView::states);
  EXPECT_EQ(after("tt").choice.view, TopView::functions);
  EXPECT_EQ(after("pf").choice.view, TopView::flame);
  EXPECT_EQ(after("ff").choice.view, TopView::functions);
  EXPECT_TRUE(after("i").choice.by_inclusive);
  EXPECT_FALSE(after("is").choice.by_inclusive);
  EXPECT_TRUE(after("e").choice.only_erlang);
  EXPECT_FALSE(after("ee").choice.only_erlang);
}

TEST(Keys, freeze_help_and_quit) {
  EXPECT_TRUE(after(" ").frozen);
  EXPECT_FALSE(after("  ").frozen);
  EXPECT_TRUE(after("?").help);
  EXPECT_FALSE(after("??").help);
  EXPECT_FALSE(after("?x").help);
  EXPECT_TRUE(after("q").quit);
  EXPECT_FALSE(after("xyz").quit);
}

TEST(Keys, type_a_filter_that_enter_takes_and_escape_does_not) {
  EXPECT_EQ(after("mqsip\n").choice.filter, "qsip");
  EXPECT_FALSE(after("mq\n").quit);
  EXPECT_EQ(*after("/li").typed, "li");
  EXPECT_EQ(after("/li").choice.filter, "");
  EXPECT_EQ(after("/li\n/shop\x1b").choice.filter, "li");
  EXPECT_EQ(after("/li\n/\n").choice.filter, "");
  EXPECT_FALSE(after("/li\n").typed.has_value());
}

TEST(Keys, backspace_takes_whole_characters) {
  EXPECT_EQ(*after("/ab\x7f").typed, "a");
  EXPECT_EQ(*after("/aü\x7f").typed, "a");
  EXPECT_EQ(*after("/\x7f\x7f").typed, "");
}

TEST(Keys, of_no_meaning_change_nothing_and_a_filter_ends_somewhere) {
  EXPECT_EQ(*after("/a\t\x01").typed, "a");
  TopScreenState state = after("/");
  press(state, 0);
  press(state, 0x1ff);
  EXPECT_EQ(*state.typed, "");
  EXPECT_EQ(after("/" + std::string(5000, 'x')).typed->size(), 100);
}

}  // namespace
}  // namespace beam_exporter::commands
