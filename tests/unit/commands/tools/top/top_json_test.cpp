#include "commands/tools/top/top_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/profile/small_profile.h"

namespace beam_exporter::commands {
namespace {

TEST(TopJson, is_one_line_with_the_table_and_the_load) {
  const auto line = top_json(profile::small_profile(), {}, 2);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto told = nlohmann::json::parse(line);
  EXPECT_EQ(told["samples"], 19);
  EXPECT_EQ(told["samples_lost"], 1);
  EXPECT_NEAR(told["cpus"].get<double>(), 0.095, 1e-9);
  EXPECT_EQ(told["threads"][0]["number"], 1);
  EXPECT_NEAR(told["states"]["bif"].get<double>(), 5 / 19.0, 1e-9);
  ASSERT_EQ(told["functions"].size(), 2);
  EXPECT_EQ(told["functions"][1]["function"], "lists:reverse/2");
  EXPECT_EQ(told["functions"][1]["kind"], "bif");
  EXPECT_NEAR(told["functions"][1]["self"].get<double>(), 5 / 19.0, 1e-9);
}

TEST(TopJson, has_stacks_from_the_bottom) {
  const auto told =
      nlohmann::json::parse(top_json(profile::small_profile(), {.view = TopView::flame}, 2));
  ASSERT_EQ(told["stacks"].size(), 2);
  EXPECT_EQ(told["stacks"][0]["stack"], nlohmann::json({"shop:run/1", "lists:sort/1"}));
  EXPECT_NEAR(told["stacks"][0]["self"].get<double>(), 10 / 19.0, 1e-9);
  EXPECT_EQ(told["stacks"][1]["stack"].size(), 5);
  EXPECT_FALSE(told.contains("functions"));
}

TEST(TopJson, survives_names_that_are_no_text) {
  auto profile = profile::small_profile();
  profile.functions[1].module = "\xff\n";
  const auto told = nlohmann::json::parse(top_json(profile, {}, 1));
  EXPECT_EQ(told["functions"][0]["function"], "\xef\xbf\xbd\n:sort/1");
}

}  // namespace
}  // namespace beam_exporter::commands
