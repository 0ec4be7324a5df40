#include "text/visible.h"

#include <gtest/gtest.h>

namespace beam_exporter::text {
namespace {

TEST(Visible, leaves_text_of_any_language) {
  EXPECT_EQ(visible("lists:sort/1"), "lists:sort/1");
  EXPECT_EQ(visible("größe/1 日本 🦀"), "größe/1 日本 🦀");
  EXPECT_EQ(visible(""), "");
}

TEST(Visible, writes_what_steers_a_terminal_as_numbers) {
  EXPECT_EQ(visible("a\x1b[2Jb\n\x7f"), "a\\x1B[2Jb\\x0A\\x7F");
  EXPECT_EQ(visible(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible("\u009b2J"), "\\u{9B}2J");
  EXPECT_EQ(visible("\u202egnp.x"), "\\u{202E}gnp.x");
}

TEST(Visible, writes_bytes_that_are_no_character_as_numbers) {
  EXPECT_EQ(visible("a\xff\xc3"), "a\\xFF\\xC3");
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xED\\xA0\\x80");  // half of a surrogate pair
}

}  // namespace
}  // namespace beam_exporter::text
