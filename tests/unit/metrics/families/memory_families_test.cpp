#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/families/families.h"
#include "unit/metrics/family_text.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

totals::Snapshot snapshot_with(totals::VmFigures figures) {
  totals::Snapshot snapshot;
  snapshot.figures = std::make_shared<const totals::VmFigures>(std::move(figures));
  return snapshot;
}

TEST(MemoryFamilies, without_a_vm_or_before_the_first_look_there_are_none) {
  for (const auto& snapshot : {totals::Snapshot{}, snapshot_with({})}) {
    EXPECT_THAT(allocator_metrics(snapshot), IsEmpty());
    EXPECT_THAT(memory_metrics(snapshot), IsEmpty());
    EXPECT_THAT(process_queue_metrics(snapshot), IsEmpty());
    EXPECT_THAT(vitals_metrics(snapshot), IsEmpty());
  }
}

TEST(AllocatorMetrics, pooled_carriers_are_counted_by_the_walk_only) {
  totals::VmFigures figures;
  figures.allocators.emplace();
  figures.allocators->allocators = {
      {"ets_alloc", {{{2, 100, 1, 25}, {0, 0, 0, 0}, {{}, 50, 1, 10}}}}};
  EXPECT_THAT(sample_lines(allocator_metrics(snapshot_with(figures))),
              Not(Contains(StartsWith(
                  "beam_allocator_carriers{allocator=\"ets_alloc\",carrier=\"mbcs_pool\""))));
  figures.fragmentation = {{.allocator = "ets_alloc", .carriers = 5, .pooled_carriers = 3}};
  const auto lines = sample_lines(allocator_metrics(snapshot_with(figures)));
  EXPECT_THAT(lines,
              Contains("beam_allocator_carriers{allocator=\"ets_alloc\",carrier=\"mbcs_pool\"} 3"));
  EXPECT_THAT(
      lines,
      Contains("beam_allocator_utilization_ratio{allocator=\"ets_alloc\",carrier=\"mbcs\"} 0.25"));
  EXPECT_THAT(
      lines,
      Contains("beam_allocator_utilization_ratio{allocator=\"ets_alloc\",carrier=\"sbcs\"} 1"));
  EXPECT_THAT(lines, Not(Contains(StartsWith("beam_allocator_fragmentation_ratio"))));
}

TEST(MemoryMetrics, outside_carriers_is_absent_when_pages_cannot_be_seen) {
  totals::VmFigures figures;
  figures.resident_parts = totals::ResidentParts{100, 80, {}, {{"other", 100}}};
  EXPECT_THAT(sample_lines(memory_metrics(snapshot_with(figures))),
              ElementsAre("beam_memory_anonymous_bytes 80",
                          "beam_memory_resident_part_bytes{part=\"other\"} 100"));
  figures.resident_parts->carriers = 60;
  EXPECT_THAT(sample_lines(memory_metrics(snapshot_with(figures))),
              Contains("beam_memory_outside_carriers_bytes 40"));
}

TEST(VitalsMetrics, what_could_not_be_read_is_absent_and_counters_stay_without_a_vm) {
  totals::Snapshot snapshot =
      snapshot_with({.vitals = beam::Vitals{.processes = 7,
                                            .run_queues = {{beam::ThreadKind::normal, 2, 5},
                                                           {beam::ThreadKind::dirty_cpu, 0, 1}}}});
  snapshot.counters.reductions = 9;
  EXPECT_THAT(
      sample_lines(vitals_metrics(snapshot)),
      ElementsAre("beam_processes 7", "beam_run_queue_length{kind=\"normal\",scheduler=\"2\"} 5",
                  "beam_run_queue_length{kind=\"dirty_cpu\",scheduler=\"shared\"} 1",
                  "beam_reductions_total 9"));
  snapshot.figures = nullptr;
  EXPECT_THAT(sample_lines(vitals_metrics(snapshot)), ElementsAre("beam_reductions_total 9"));
}

}  // namespace
}  // namespace beam_exporter::metrics
