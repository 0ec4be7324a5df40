#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/families/families.h"
#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SchedulerMetrics, no_schedulers_no_family) { EXPECT_THAT(scheduler_metrics({}), IsEmpty()); }

TEST(SchedulerMetrics, known_states_are_served_even_at_zero_and_unknown_ones_are_not) {
  totals::Snapshot snapshot;
  totals::SchedulerTime scheduler;
  scheduler.kind = attribution::ThreadKind::dirty_io;
  scheduler.number = 10;
  scheduler.seconds.fill(3);
  scheduler.seconds[static_cast<std::size_t>(attribution::State::gc)] = 0;
  scheduler.known[static_cast<std::size_t>(attribution::State::gc)] = true;
  scheduler.known[static_cast<std::size_t>(attribution::State::sleep)] = true;
  snapshot.schedulers.push_back(scheduler);
  const std::string labels =
      "beam_scheduler_state_seconds_total{kind=\"dirty_io\",scheduler=\"10\",state=";
  EXPECT_THAT(sample_lines(scheduler_metrics(snapshot)),
              ElementsAre(labels + "\"gc\"} 0", labels + "\"sleep\"} 3"));
}

}  // namespace
}  // namespace beam_exporter::metrics
