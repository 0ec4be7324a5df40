#include "commands/read_delay_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace beam_exporter::commands {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ReadDelayReport busy() {
  ReadDelayReport report{.pid = 7,
                         .samples = 200,
                         .no_process = 2,
                         .other_process = 10,
                         .other_function = 20,
                         .other_callers = 40,
                         .not_compared = 5};
  for (int k = 1; k <= 200; ++k) report.delays.push_back(k * 1us);
  return report;
}

std::string line_of(const std::string& text, const std::string& beginning) {
  const auto at = text.find(beginning);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(SkidText, each_kind_of_wrong_has_its_count_and_share) {
  const std::string text = read_delay_text(busy());
  EXPECT_THAT(text, HasSubstr("pid 7"));
  EXPECT_THAT(line_of(text, "samples of"), AllOf(HasSubstr(" 200 "), HasSubstr(" 100.00 %")));
  EXPECT_THAT(line_of(text, "no process"), AllOf(HasSubstr(" 2 "), HasSubstr(" 1.00 %")));
  EXPECT_THAT(line_of(text, "another process"), AllOf(HasSubstr(" 10 "), HasSubstr(" 5.00 %")));
  EXPECT_THAT(line_of(text, "another function"), AllOf(HasSubstr(" 20 "), HasSubstr(" 10.00 %")));
  EXPECT_THAT(line_of(text, "other callers"), AllOf(HasSubstr(" 40 "), HasSubstr(" 20.00 %")));
  EXPECT_THAT(line_of(text, "not compared"), HasSubstr(" 5 "));
  EXPECT_THAT(line_of(text, "late by"), HasSubstr("median 100, 90 % 180, 99 % 198, at most 200"));
}

TEST(SkidText, of_an_idle_vm_says_so_and_divides_by_nothing) {
  const std::string text = read_delay_text({.pid = 7});
  EXPECT_THAT(text, AllOf(HasSubstr("pid 7"), HasSubstr("nothing to compare"), Not(HasSubstr("%")),
                          Not(HasSubstr("nan")), Not(HasSubstr("median"))));
  EXPECT_THAT(read_delay_text({.pid = 7, .not_compared = 3}), HasSubstr("not compared: 3"));
}

TEST(SkidJson, has_the_same_numbers) {
  const auto json = nlohmann::json::parse(read_delay_json(busy()));
  EXPECT_EQ(json,
            (nlohmann::json{{"pid", 7},
                            {"samples", 200},
                            {"no_process", 2},
                            {"other_process", 10},
                            {"other_function", 20},
                            {"other_callers", 40},
                            {"not_compared", 5},
                            {"delay_microseconds",
                             {{"p50", 100.0}, {"p90", 180.0}, {"p99", 198.0}, {"max", 200.0}}}}));
}

TEST(SkidJson, of_an_idle_vm_has_no_delay) {
  const auto json = nlohmann::json::parse(read_delay_json({.pid = 7}));
  EXPECT_EQ(json.at("samples"), 0);
  EXPECT_TRUE(json.at("delay_microseconds").is_null());
}

}  // namespace
}  // namespace beam_exporter::commands
