#include "metrics/families/process_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(ProcessMetrics, uses_the_names_of_every_client_and_leaves_out_what_is_unlimited) {
  os::ProcessStat stat;
  stat.user_seconds = 2;
  stat.system_seconds = 0.5;
  stat.start_time_seconds = 1700000000.5;
  stat.virtual_bytes = 4096;
  stat.resident_bytes = 1024;
  stat.open_fds = 3;
  EXPECT_THAT(sample_lines(process_metrics(stat)),
              ElementsAre("process_cpu_seconds_total 2.5", "process_open_fds 3",
                          "process_virtual_memory_bytes 4096", "process_resident_memory_bytes 1024",
                          "process_start_time_seconds 1700000000.5"));
}

TEST(ProcessMetrics, the_collector_reads_ourselves) {
  EXPECT_THAT(sample_lines(ProcessCollector().Collect()),
              Contains(StartsWith("process_resident_memory_bytes ")));
}

TEST(ProcessMetrics, a_process_that_cannot_be_read_has_no_families) {
  EXPECT_THAT(ProcessCollector("/proc/0").Collect(), IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::metrics
