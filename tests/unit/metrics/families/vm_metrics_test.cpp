#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/families/families.h"
#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::ElementsAre;

TEST(VmMetrics, without_a_vm_there_is_only_what_is_known_without_one) {
  EXPECT_THAT(sample_lines(vm_metrics({})),
              ElementsAre("beam_up 0", "beam_target_restarts_total 0"));
}

TEST(VmMetrics, a_vm_shows_what_could_be_read_of_it) {
  totals::Snapshot snapshot;
  snapshot.up = true;
  snapshot.vm = {"27", "15.2.7", "emu", "otp-27-emu", ""};
  snapshot.process.emplace();
  snapshot.process->threads = 9;
  snapshot.vm_cpu_system_seconds = 0.5;
  EXPECT_THAT(sample_lines(vm_metrics(snapshot)),
              ElementsAre("beam_up 1",
                          "beam_vm_info{otp_release=\"27\",erts_version=\"15.2.7\",flavor=\"emu\","
                          "layout=\"otp-27-emu\",build_id=\"\"} 1",
                          "beam_vm_threads 9", "beam_vm_cpu_seconds_total{mode=\"system\"} 0.5",
                          "beam_target_restarts_total 0"));
}

TEST(VmMetrics, counters_stay_when_the_vm_is_gone) {
  totals::Snapshot snapshot;
  snapshot.vm_cpu_user_seconds = 7;
  snapshot.target_restarts = 1;
  EXPECT_THAT(sample_lines(vm_metrics(snapshot)),
              ElementsAre("beam_up 0", "beam_vm_cpu_seconds_total{mode=\"user\"} 7",
                          "beam_target_restarts_total 1"));
}

}  // namespace
}  // namespace beam_exporter::metrics
