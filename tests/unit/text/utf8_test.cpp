#include "text/utf8.h"

#include <gtest/gtest.h>

namespace beam_exporter::text {
namespace {

std::string utf8_of(std::uint32_t character) {
  std::string text;
  append_utf8(text, character);
  return text;
}

TEST(Utf8, each_length_at_its_ends) {
  EXPECT_EQ(utf8_of(0), std::string(1, '\0'));
  EXPECT_EQ(utf8_of(0x7f), "\x7f");
  EXPECT_EQ(utf8_of(0x80), "\xc2\x80");
  EXPECT_EQ(utf8_of(0x7ff), "\xdf\xbf");
  EXPECT_EQ(utf8_of(0x800), "\xe0\xa0\x80");
  EXPECT_EQ(utf8_of(0xffff), "\xef\xbf\xbf");
  EXPECT_EQ(utf8_of(0x10000), "\xf0\x90\x80\x80");
  EXPECT_EQ(utf8_of(0x10ffff), "\xf4\x8f\xbf\xbf");
}

// The two directions are written apart: each tells whether the other is right.
TEST(Utf8, every_character_there_is_is_well_formed) {
  for (std::uint32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
    if (!is_character(code_point)) continue;
    const std::string text = utf8_of(code_point);
    ASSERT_EQ(utf8_length(text + "\x80"), text.size()) << code_point;
    ASSERT_EQ(text::code_point(text), code_point);
    for (std::size_t cut = 1; cut < text.size(); ++cut)
      ASSERT_EQ(utf8_length(text.substr(0, cut)), 0u) << code_point;
  }
  EXPECT_FALSE(is_character(0xd800) || is_character(0xdfff) || is_character(0x110000));
}

TEST(Utf8, what_is_none_is_told) {
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80"));
  for (const char* bad :
       {"\x80", "\xff", "a\xc3", "\xc3\"", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

}  // namespace
}  // namespace beam_exporter::text
