#include "web/pages/overview.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace beam_exporter::web {
namespace {

using Json = nlohmann::json;

TEST(Overview, without_a_vm_it_says_why_and_has_no_figures) {
  totals::Snapshot snapshot;
  snapshot.down_reason = "no beam.smp is running";
  const auto told = Json::parse(overview_json(snapshot));
  EXPECT_EQ(told["version"], 1);
  EXPECT_EQ(told["up"], false);
  EXPECT_EQ(told["down_reason"], "no beam.smp is running");
  for (const char* absent : {"vm", "memory", "allocators", "vitals", "nif_time_ratio"})
    EXPECT_FALSE(told.contains(absent)) << absent;
}

TEST(Overview, where_no_sample_could_be_taken_there_are_no_sampled_figures) {
  totals::Snapshot snapshot;
  snapshot.up = true;
  snapshot.sampled = false;
  snapshot.own.sampling_complaint = "no CPU sampling: add CAP_PERFMON";
  const auto told = Json::parse(overview_json(snapshot));
  EXPECT_FALSE(told.contains("functions"));
  EXPECT_FALSE(told.contains("schedulers"));
  EXPECT_EQ(told["sampling"]["complaint"], "no CPU sampling: add CAP_PERFMON");
  EXPECT_FALSE(told["sampling"].contains("source"));
}

TEST(Overview, a_state_that_is_not_recognized_is_absent_not_zero) {
  totals::Snapshot snapshot;
  totals::SchedulerTime one{.number = 3};
  one.known[static_cast<std::size_t>(attribution::State::gc)] = true;
  one.seconds[static_cast<std::size_t>(attribution::State::gc)] = 1.5;
  snapshot.schedulers = {one};
  snapshot.own.features = {{"ebpf", false}, {"tick", true}};
  const auto told = Json::parse(overview_json(snapshot));
  EXPECT_EQ(told["schedulers"][0],
            (Json{{"kind", "normal"}, {"number", 3}, {"seconds", {{"gc", 1.5}}}}));
  EXPECT_EQ(told["sampling"]["source"], "tick");
}

TEST(Overview, figures_are_those_of_the_snapshot) {
  auto figures = std::make_shared<totals::VmFigures>();
  totals::AllocatorSection section{.carrier_bytes = 300, .block_bytes = 200};
  section.allocators.push_back({.allocator = "eheap_alloc"});
  section.allocators[0].by_kind[0] = {.carrier_bytes = 100, .block_bytes = 60};
  section.allocators[0].by_kind[1] = {.carrier_bytes = 10, .block_bytes = 5};
  figures->allocators = section;
  figures->processes = totals::ProcessSection{.longest_queues = {{"logger", 12}}};
  totals::Snapshot snapshot;
  snapshot.up = true;
  snapshot.figures = figures;
  const auto told = Json::parse(overview_json(snapshot));
  EXPECT_EQ(told["allocators"][0],
            (Json{{"allocator", "eheap_alloc"}, {"carrier_bytes", 110.0}, {"block_bytes", 65.0}}));
  EXPECT_EQ(told["longest_queues"][0], (Json{{"process", "logger"}, {"messages", 12.0}}));
  EXPECT_EQ(told["memory"]["carrier_bytes"], 300.0);
  EXPECT_FALSE(told["memory"].contains("resident_bytes"));
}

TEST(Overview, a_name_that_is_no_utf8_stays_json) {
  totals::Snapshot snapshot;
  snapshot.functions = {{"m\xff", "f/1\"<", 1}};
  const auto told = Json::parse(overview_json(snapshot));
  EXPECT_EQ(told["functions"][0]["module"], "m\uFFFD");
  EXPECT_EQ(told["functions"][0]["function"], "f/1\"<");
}

}  // namespace
}  // namespace beam_exporter::web
