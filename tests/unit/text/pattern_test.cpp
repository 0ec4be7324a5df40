#include "text/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace beam_exporter::text {
namespace {

using testing::HasSubstr;

TEST(Pattern, is_found_anywhere) {
  const Pattern shop("-s?name\\s+(shop|cart)(@|$)");
  EXPECT_EQ(shop.problem(), "");
  EXPECT_TRUE(shop.found_in("beam.smp -- -sname cart"));
  EXPECT_TRUE(shop.found_in("beam.smp -name shop@host -noshell"));
  EXPECT_FALSE(shop.found_in("beam.smp -name shopping@host"));
  EXPECT_TRUE(Pattern("").found_in("anything"));
}

TEST(Pattern, tells_what_is_wrong_and_matches_nothing) {
  for (const auto& [expression, words] : {std::pair{"(shop", "missing )"},
                                          {"*", "no argument for repetition operator"},
                                          {"[z-a]", "invalid character class range"},
                                          {"(a)\\1", "invalid escape sequence: \\1"},
                                          {"(?=a)", "invalid perl operator: (?="},
                                          {"(a{1000}){1000}", "invalid repetition size"}}) {
    const Pattern pattern(expression);
    EXPECT_THAT(pattern.problem(), HasSubstr(words)) << expression;
    EXPECT_FALSE(pattern.found_in("aaa")) << expression;
  }
  EXPECT_NE(Pattern(std::string(1'000'000, '(')).problem(), "");
}

// Backtracking would take as long as the universe is old, recursion our stack.
TEST(Pattern, long_texts_and_evil_expressions_are_linear) {
  const std::string text(1 << 20, 'a');
  for (const char* evil : {"(a*)*b", "(a|aa)+$b", "^(.*)*(.*)*(.*)*b"})
    EXPECT_FALSE(Pattern(evil).found_in(text)) << evil;
  EXPECT_TRUE(Pattern("(a|.)*$").found_in(text));
}

}  // namespace
}  // namespace beam_exporter::text
