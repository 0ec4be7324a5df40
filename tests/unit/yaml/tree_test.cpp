#include "yaml/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace beam_exporter::yaml {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string complaint(std::string_view text) {
  const auto tree = parse_tree(text, "f.yaml");
  return tree ? "" : tree.error().text;
}

TEST(Tree, KeepsOrderLinesAndQuotes) {
  const auto tree = parse_tree("b: 1\n# why\na:\n  - x\n  - 'y'\n", "f.yaml");
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->entries.size(), 2u);
  EXPECT_EQ(tree->entries[0].key, "b");
  EXPECT_EQ(tree->entries[0].line, 1);
  EXPECT_EQ(tree->entries[1].key, "a");
  EXPECT_EQ(tree->entries[1].line, 3);
  const Node& list = tree->entries[1].value;
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[1].line, 5);
  EXPECT_FALSE(list.items[0].quoted);
  EXPECT_TRUE(list.items[1].quoted);
}

TEST(Tree, AnEmptyTextIsNull) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    const auto tree = parse_tree(text, "f.yaml");
    ASSERT_TRUE(tree) << text;
    EXPECT_EQ(tree->kind, Node::Kind::null);
  }
}

TEST(Tree, SyntaxErrorsCarryTheLine) {
  EXPECT_THAT(complaint("a: 1\nb: [1, 2\nc: 3\n"), StartsWith("f.yaml:"));
  EXPECT_EQ(complaint("a: 1\nb: 'open\n"), "f.yaml:2: a quote is never closed");
  EXPECT_EQ(complaint("a: 1\nb: 'it''s\n"), "f.yaml:2: a quote is never closed");
  EXPECT_EQ(complaint("\xEF\xBB\xBF\"\u00e9\": \"open\\\"\n"), "f.yaml:1: a quote is never closed");
  EXPECT_THAT(complaint("a: 1\n\tb: 2\n"), StartsWith("f.yaml:2: "));
  EXPECT_THAT(complaint("a: 1\nb: c: d\n"), StartsWith("f.yaml:2: "));
}

TEST(Tree, ClosedQuotesAreFine) {
  EXPECT_EQ(complaint("a: 'it''s'\nb: \"\\\"x\\\\\"\n\"k'\": ''\nl: ['a', \"b\"]\n"), "");
  EXPECT_EQ(complaint("\u00e9\u00e9: '\u00e9'\r\nb: 'x'"), "");
}

TEST(Tree, DuplicateKeysAreErrors) {
  EXPECT_EQ(complaint("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n"),
            "f.yaml:5: key 'c' is there twice, first on line 3");
  EXPECT_EQ(complaint("{a: 1, a: 2}"), "f.yaml:1: key 'a' is there twice, first on line 1");
  EXPECT_EQ(complaint("a: {x: 1}\nb: {x: 1}\n"), "");
}

TEST(Tree, RefusesWhatItWouldHaveToGuess) {
  EXPECT_THAT(complaint("a: &x 1\n"), HasSubstr("f.yaml:1: anchors"));
  EXPECT_THAT(complaint("a: 1\nb: !!int '5'\n"), HasSubstr("f.yaml:2: tags"));
  EXPECT_THAT(complaint("[a, b]: 1\n"), HasSubstr("a key must be plain text"));
  EXPECT_THAT(complaint("a: 1\n---\nb: 2\n"), HasSubstr("a second document"));
  EXPECT_THAT(complaint(std::string(largest_text_bytes + 1, ' ')), HasSubstr("1 MiB"));
}

TEST(Tree, BoundsDepth) {
  EXPECT_NE(complaint(std::string(100'000, '[')), "");
  EXPECT_NE(complaint(std::string(100'000, '{')), "");
}

}  // namespace
}  // namespace beam_exporter::yaml
