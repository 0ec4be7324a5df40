#include "yaml/scalar.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace beam_exporter::yaml {
namespace {

using std::chrono::milliseconds;

template <class T, class... Rule>
std::string complaint(Scalar scalar, Rule... rule) {
  T into{};
  const auto done = convert(scalar, into, rule...);
  return done ? "" : done.error().text;
}

TEST(Scalar, ReadsWholeNumbers) {
  std::uint32_t number = 7;
  ASSERT_TRUE(convert({"4294967295"}, number));
  EXPECT_EQ(number, 4294967295u);
  ASSERT_TRUE(convert({"0x10"}, number));
  EXPECT_EQ(number, 16u);
  std::int64_t lowest = 0;
  ASSERT_TRUE(convert({"-9223372036854775808"}, lowest));
  EXPECT_EQ(lowest, INT64_MIN);
}

TEST(Scalar, NamesValueAndRangeOfABadNumber) {
  EXPECT_EQ(complaint<int>({"0"}, WholeRange{1, 10000}), "0 is outside 1..10000");
  EXPECT_EQ(complaint<int>({"99999999999999999999"}, WholeRange{1, 10000}),
            "99999999999999999999 is outside 1..10000");
  EXPECT_EQ(complaint<int>({"abc"}, WholeRange{1, 10000}), "'abc' is not a whole number 1..10000");
  EXPECT_EQ(complaint<int>({"12x"}, WholeRange{1, 10000}), "'12x' is not a whole number 1..10000");
  EXPECT_EQ(complaint<int>({"1.5"}, WholeRange{1, 9}), "'1.5' is not a whole number 1..9");
  EXPECT_EQ(complaint<int>({""}, WholeRange{1, 9}), "no value; needs a whole number 1..9");
  EXPECT_EQ(complaint<int>({"5", true}, WholeRange{1, 9}),
            "'5' in quotes is text, not a whole number 1..9");
  EXPECT_NE(complaint<int>({"0x-5"}, WholeRange{-9, 9}), "");
  EXPECT_NE(complaint<int>({"0x"}, WholeRange{-9, 9}), "");
}

TEST(Scalar, ARangeNeverExceedsTheType) {
  EXPECT_EQ(complaint<std::uint8_t>({"256"}), "256 is outside 0..255");
  EXPECT_EQ(complaint<std::uint16_t>({"70000"}, WholeRange{1, 1000000}),
            "70000 is outside 1..65535");
  EXPECT_EQ(complaint<std::uint64_t>({"-1"}), "-1 is outside 0..9223372036854775807");
}

TEST(Scalar, LeavesTheTargetAloneOnError) {
  int number = 99;
  EXPECT_FALSE(convert({"0"}, number, WholeRange{1, 10000}));
  EXPECT_EQ(number, 99);
  bool flag = true;
  EXPECT_FALSE(convert({"no"}, flag));
  EXPECT_TRUE(flag);
}

TEST(Scalar, ReadsBooleansOnlyAsTrueAndFalse) {
  bool flag = false;
  ASSERT_TRUE(convert({"true"}, flag));
  EXPECT_TRUE(flag);
  EXPECT_EQ(complaint<bool>({"yes"}), "'yes' is not true or false");
  EXPECT_EQ(complaint<bool>({"true", true}), "'true' in quotes is text, not true or false");
}

TEST(Scalar, ReadsRealNumbers) {
  double number = 0;
  ASSERT_TRUE(convert({"0.25"}, number, RealRange{0, 1}));
  EXPECT_EQ(number, 0.25);
  EXPECT_EQ(complaint<double>({"1.5"}, RealRange{0, 1}), "1.5 is outside 0..1");
  EXPECT_EQ(complaint<double>({"nan"}, RealRange{0, 1}), "'nan' is not a number 0..1");
  EXPECT_EQ(complaint<double>({"inf"}), "'inf' is not a number");
}

TEST(Scalar, ReadsDurations) {
  milliseconds duration{0};
  const auto read = [&](std::string_view text) {
    duration = milliseconds{-1};
    return bool(convert({text}, duration)) ? duration.count() : -1;
  };
  EXPECT_EQ(read("500ms"), 500);
  EXPECT_EQ(read("10s"), 10'000);
  EXPECT_EQ(read("1m30s"), 90'000);
  EXPECT_EQ(read("1h1ms"), 3'600'001);
  EXPECT_EQ(read("7d"), 604'800'000);
  EXPECT_EQ(read("0"), 0);
  for (const char* bad : {"", "10", "s", "-1s", "1.5s", "1s1m", "1s1s", "1 s", "10 seconds",
                          "99999999999999999999d", "9223372036854775807d", "1h5"})
    EXPECT_EQ(read(bad), -1) << bad;
}

TEST(Scalar, NamesTheRangeOfADuration) {
  const DurationRange range{milliseconds{100}, std::chrono::hours{1}};
  EXPECT_EQ(complaint<milliseconds>({"1ms"}, range), "1ms is outside 100ms..1h");
  EXPECT_EQ(complaint<milliseconds>({"1"}, range),
            "'1' is not a duration such as 500ms or 10s in 100ms..1h");
}

TEST(Scalar, SpellsADurationAsItReadsIt) {
  for (const std::int64_t count : {0, 1, 999, 1000, 90'000, 3'600'001, 604'800'000}) {
    milliseconds back{-1};
    ASSERT_TRUE(convert({spell(milliseconds{count})}, back)) << count;
    EXPECT_EQ(back.count(), count);
  }
}

TEST(Scalar, ShowsAValueOnOneShortLine) {
  EXPECT_EQ(shown("a\nb\x1b"), "'a?b?'");
  EXPECT_EQ(shown(std::string(100, 'x')), "'" + std::string(60, 'x') + "...'");
}

}  // namespace
}  // namespace beam_exporter::yaml
