#include "metrics/exposition/escape.h"

#include <gtest/gtest.h>

namespace beam_exporter::metrics {
namespace {

std::string label(std::string_view value) {
  std::string out;
  append_label_value(value, out);
  return out;
}

std::string help(std::string_view text, Quotes quotes) {
  std::string out;
  append_help(text, quotes, out);
  return out;
}

TEST(Escape, label_values_escape_backslash_quote_and_newline) {
  EXPECT_EQ(label("plain/2"), "plain/2");
  EXPECT_EQ(label("a\\b\"c\nd"), "a\\\\b\\\"c\\nd");
  EXPECT_EQ(label("\\n"), "\\\\n");
  EXPECT_EQ(label(""), "");
}

TEST(Escape, help_escapes_its_quotes_in_open_metrics_only) {
  EXPECT_EQ(help("a \"b\"\n\\", Quotes::as_they_are), "a \"b\"\\n\\\\");
  EXPECT_EQ(help("a \"b\"\n\\", Quotes::escaped), "a \\\"b\\\"\\n\\\\");
}

TEST(Escape, any_unicode_passes) {
  for (const char* text : {"gr\xc3\xbc\xc3\x9f", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x98\x80",
                           "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "\x01\x7f\t\r"})
    EXPECT_EQ(label(text), text);
}

TEST(Escape, what_is_no_utf8_becomes_the_replacement_character) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(label("a\xff"
                  "b"),
            "a" + bad + "b");
  EXPECT_EQ(label("\xc3"), bad);                                // cut short
  EXPECT_EQ(label("\xc3\""), bad + "\\\"");                     // and what follows is still escaped
  EXPECT_EQ(label("\xe6\x97"), bad + bad);                      // cut short
  EXPECT_EQ(label("\xc0\xaf"), bad + bad);                      // overlong '/'
  EXPECT_EQ(label("\xe0\x80\x8a"), bad + bad + bad);            // overlong newline
  EXPECT_EQ(label("\xed\xa0\x80"), bad + bad + bad);            // surrogate
  EXPECT_EQ(label("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // above U+10FFFF
  EXPECT_EQ(label(std::string_view("a\0b", 3)), "a" + bad + "b");
}

}  // namespace
}  // namespace beam_exporter::metrics
