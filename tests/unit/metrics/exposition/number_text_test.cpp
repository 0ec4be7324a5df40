#include "metrics/exposition/number_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace beam_exporter::metrics {
namespace {

std::string value(double number) {
  std::string out;
  append_value(number, out);
  return out;
}

std::string bound(double number) {
  std::string out;
  append_bound(number, out);
  return out;
}

TEST(NumberText, values_are_short_and_whole_numbers_stay_whole) {
  EXPECT_EQ(value(0), "0");
  EXPECT_EQ(value(1), "1");
  EXPECT_EQ(value(-2.5), "-2.5");
  EXPECT_EQ(value(0.1), "0.1");
  EXPECT_EQ(value(1048576), "1048576");
  EXPECT_EQ(value(9007199254740993.0), "9007199254740992");
  EXPECT_EQ(value(1700000123.456), "1700000123.456");
  EXPECT_EQ(value(1e21), "1e+21");
  EXPECT_EQ(value(5e-324), "5e-324");
}

TEST(NumberText, what_is_no_number_is_spelled_as_both_formats_do) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value(infinity), "+Inf");
  EXPECT_EQ(value(-infinity), "-Inf");
  EXPECT_EQ(value(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

TEST(NumberText, every_value_reads_back_as_itself) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double number = 0;
    static_assert(sizeof number == sizeof bits);
    std::memcpy(&number, &bits, sizeof number);
    if (!(number == number) || number - number != 0) continue;
    const auto text = value(number);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), number) << text;
  }
}

// The table of the OpenMetrics 1.0 text, "Considerations: Canonical Numbers".
TEST(NumberText, bounds_are_canonical) {
  EXPECT_EQ(bound(0), "0.0");
  EXPECT_EQ(bound(1), "1.0");
  EXPECT_EQ(bound(10), "10.0");
  EXPECT_EQ(bound(0.001), "0.001");
  EXPECT_EQ(bound(0.0001), "0.0001");
  EXPECT_EQ(bound(0.00001), "1e-05");
  EXPECT_EQ(bound(1e-10), "1e-10");
  EXPECT_EQ(bound(1.7), "1.7");
  EXPECT_EQ(bound(100000), "100000.0");
  EXPECT_EQ(bound(1e6), "1e+06");
  EXPECT_EQ(bound(1e10), "1e+10");
  EXPECT_EQ(bound(1.1e23), "1.1e+23");
  EXPECT_EQ(bound(std::numeric_limits<double>::infinity()), "+Inf");
}

}  // namespace
}  // namespace beam_exporter::metrics
