#include "web/pages/quality_list.h"

#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

TEST(QualityList, reads_values_parameters_and_qualities_in_order) {
  const auto list = parse_quality_list(
      "application/openmetrics-text; version=1.0.0 ;q=0.5 , "
      "Text/Plain;VERSION=\"0.0.4\",*/*;q=0.1");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].value, "application/openmetrics-text");
  ASSERT_NE(list[0].parameter("version"), nullptr);
  EXPECT_EQ(*list[0].parameter("version"), "1.0.0");
  EXPECT_EQ(list[0].quality, 0.5);
  EXPECT_EQ(list[0].parameter("q"), nullptr);
  EXPECT_EQ(list[1].value, "text/plain");
  ASSERT_NE(list[1].parameter("version"), nullptr);
  EXPECT_EQ(*list[1].parameter("version"), "0.0.4");
  EXPECT_EQ(list[1].quality, 1);
  EXPECT_EQ(list[2].quality, 0.1);
}

TEST(QualityList, separators_in_quotes_separate_nothing) {
  const auto list = parse_quality_list("a/b;x=\"1,2;q=0\";q=0.5,c/d");
  ASSERT_EQ(list.size(), 2u);
  ASSERT_NE(list[0].parameter("x"), nullptr);
  EXPECT_EQ(*list[0].parameter("x"), "1,2;q=0");
  EXPECT_EQ(list[0].quality, 0.5);
}

TEST(QualityList, empty_elements_are_no_elements) {
  EXPECT_TRUE(parse_quality_list("").empty());
  EXPECT_TRUE(parse_quality_list(" , ,;q=1").empty());
  EXPECT_EQ(parse_quality_list(",gzip,").size(), 1u);
}

TEST(QualityList, a_strange_quality_stays_between_zero_and_one) {
  const auto quality = [](const char* text) {
    return parse_quality_list(std::string("a;q=") + text).at(0).quality;
  };
  EXPECT_EQ(quality("0"), 0);
  EXPECT_EQ(quality("0.000"), 0);
  EXPECT_EQ(quality("1.000"), 1);
  EXPECT_EQ(quality("7"), 1);
  EXPECT_EQ(quality("-1"), 0);
  EXPECT_EQ(quality("nan"), 1);
  EXPECT_EQ(quality("high"), 1);
  EXPECT_EQ(quality(""), 1);
}

}  // namespace
}  // namespace beam_exporter::web
