#include "collectors/timetable.h"

#include <gmock/gmock.h>

namespace beam_exporter::collectors {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Notes when it looks; a look takes 10 ms of the test's clock.
struct Script {
  std::chrono::nanoseconds clock{100s};
  std::vector<std::string> looks;
  bool success = true;
};
Script* script = nullptr;

class Scripted : public Collector {
 public:
  explicit Scripted(const Subject&) {}
  bool collect(const settings::Settings&, totals::VmFigures& figures) override {
    script->looks.push_back(std::to_string((script->clock - 100s) / 1ms));
    script->clock += 10ms;
    if (script->success) figures.memory = totals::MemorySection{1, 2};
    return script->success;
  }
  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override {
    if (!settings.memory.enabled) return std::nullopt;
    return settings.memory.interval;
  }
  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override {
    if (!settings.memory.enabled) figures.memory.reset();
  }
};

class TimetableTest : public testing::Test {
 protected:
  void SetUp() override { script = &script_; }
  // As the collectors' thread does, for `time` of the test's clock.
  void run_for(std::chrono::milliseconds time) {
    const auto end = script_.clock + time;
    while (script_.clock < end) {
      const auto next = timetable_.run_due(settings_, figures_);
      timetable_.count_runs();
      if (next > script_.clock) script_.clock = std::min(next, end);
    }
  }
  totals::CollectorRun run_of_scripted() {
    totals::Snapshot snapshot;
    totals_.write(snapshot);
    return snapshot.own.collectors.at("scripted");
  }

  Script script_;
  settings::Settings settings_;
  totals::VmFigures figures_;
  static constexpr std::array<std::string_view, 1> names{"scripted"};
  totals::CollectorTotals totals_{names};
  std::array<RegisteredCollector, 1> only_{
      {{"scripted", [](const Subject& subject) -> std::unique_ptr<Collector> {
          return std::make_unique<Scripted>(subject);
        }}}};
  Timetable timetable_{{.vm = nullptr, .totals = &totals_, .allocators = nullptr}, only_, [this] {
                         return script_.clock;
                       }};
};

TEST_F(TimetableTest, looks_at_once_and_then_by_its_interval_however_long_a_look_takes) {
  settings_.memory.interval = 100ms;
  run_for(350ms);
  EXPECT_THAT(script_.looks, ElementsAre("0", "100", "200", "300"));
  EXPECT_DOUBLE_EQ(run_of_scripted().duration_seconds, 0.010);
  EXPECT_TRUE(run_of_scripted().success);
}

TEST_F(TimetableTest, a_shorter_interval_counts_from_the_last_look) {
  settings_.memory.interval = 1h;
  run_for(150ms);
  settings_.memory.interval = 100ms;
  run_for(100ms);
  EXPECT_THAT(script_.looks, ElementsAre("0", "150"));
}

TEST_F(TimetableTest, what_is_switched_off_does_not_look_and_what_it_wrote_is_taken_away) {
  settings_.memory.interval = 100ms;
  run_for(150ms);
  ASSERT_TRUE(figures_.memory);
  settings_.memory.enabled = false;
  EXPECT_GE(timetable_.run_due(settings_, figures_), script_.clock + 1h);
  EXPECT_FALSE(figures_.memory);
  EXPECT_THAT(script_.looks, ElementsAre("0", "100"));
}

TEST_F(TimetableTest, a_failed_look_leaves_what_is_there_and_is_counted_as_failed) {
  settings_.memory.interval = 100ms;
  run_for(50ms);
  script_.success = false;
  run_for(100ms);
  EXPECT_TRUE(figures_.memory);
  EXPECT_FALSE(run_of_scripted().success);
}

TEST_F(TimetableTest, a_run_is_counted_only_when_its_figures_were_published) {
  timetable_.run_due(settings_, figures_);
  totals::Snapshot before;
  totals_.write(before);
  EXPECT_FALSE(before.own.collectors.contains("scripted"));
  timetable_.count_runs();
  EXPECT_TRUE(run_of_scripted().success);
}

TEST(Registry, names_are_what_users_see_as_label) {
  std::vector<std::string_view> names;
  for (const auto& collector : registry) names.push_back(collector.name);
  EXPECT_THAT(names, ElementsAre("vitals", "allocators", "carriers", "processes"));
}

}  // namespace
}  // namespace beam_exporter::collectors
