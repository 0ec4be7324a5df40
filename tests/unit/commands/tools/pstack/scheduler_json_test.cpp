#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/commands/tools/pstack/small_report.h"

namespace beam_exporter::commands {
namespace {

nlohmann::json told(const SchedulerReport& report, const SchedulerChoice& choice = {}) {
  return nlohmann::json::parse(scheduler_json(report, choice));
}

TEST(SchedulerJson, has_what_is_known) {
  const auto json = told(small_report());
  EXPECT_EQ(json["target"], "a VM");
  EXPECT_EQ(json["sampled"], true);
  EXPECT_EQ(json["ended_early"], false);
  EXPECT_NEAR(json["duration_seconds"].get<double>(), 0.25, 1e-9);
  ASSERT_EQ(json["schedulers"].size(), 2u);
  const auto& first = json["schedulers"][0];
  EXPECT_EQ(first["kind"], "normal");
  EXPECT_EQ(first["number"], 1);
  EXPECT_EQ(first["tid"], 71);
  EXPECT_EQ(first["runs"], true);
  EXPECT_EQ(first["seen_by"], "sample");
  EXPECT_EQ(first["state"], "gc");
  EXPECT_EQ(
      first["process"],
      nlohmann::json({{"id", "<0.9.0>"}, {"name", "shop"}, {"status", "garbage_collecting"}}));
  EXPECT_NEAR(first["for_seconds"].get<double>(), 0.2, 1e-9);
  EXPECT_NEAR(first["seconds_ago"].get<double>(), 0.002, 1e-9);
  EXPECT_EQ(first["kernel_state"], "R");
  EXPECT_FALSE(first.contains("kernel_place"));
  ASSERT_EQ(first["frames"].size(), 3u);
  EXPECT_EQ(first["frames"][1], nlohmann::json({{"frame", "lists:reverse/2"}, {"kind", "bif"}}));
}

TEST(SchedulerJson, lacks_what_is_not_known) {
  const auto second = told(small_report())["schedulers"][1];
  EXPECT_EQ(second["seen_by"], "memory");
  EXPECT_EQ(second["last_seen_in"], "stuck:hold/1");
  for (const char* key :
       {"tid", "state", "for_seconds", "seconds_ago", "sleep_flags", "kernel_state", "port"})
    EXPECT_FALSE(second.contains(key)) << key;
  auto report = small_report();
  report.sampled = false;
  EXPECT_FALSE(told(report).contains("duration_seconds"));
}

TEST(SchedulerJson, has_idle_schedulers_and_no_c_functions_when_asked) {
  const auto json = told(small_report(), {.all = true, .only_erlang = true});
  ASSERT_EQ(json["schedulers"].size(), 3u);
  EXPECT_EQ(json["schedulers"][0]["frames"].size(), 2u);
  const auto& idle = json["schedulers"][2];
  EXPECT_EQ(idle["runs"], false);
  EXPECT_EQ(idle["seen_by"], "none");
  EXPECT_EQ(idle["sleep_flags"], "sleeping, waiting");
  EXPECT_EQ(idle["kernel_place"], "futex_wait");
  EXPECT_FALSE(idle.contains("process"));
  EXPECT_TRUE(idle["frames"].empty());
}

TEST(SchedulerJson, survives_names_that_are_no_text) {
  auto report = small_report();
  report.schedulers[0].name = "\xff";
  EXPECT_EQ(told(report)["schedulers"][0]["process"]["name"], "\xef\xbf\xbd");
}

}  // namespace
}  // namespace beam_exporter::commands
