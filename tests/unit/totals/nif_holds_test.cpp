#include "totals/nif_holds.h"

#include <gtest/gtest.h>

#include <numeric>

namespace beam_exporter::totals {
namespace {

using namespace std::chrono_literals;

class NifHoldsTest : public testing::Test {
 protected:
  void see(std::chrono::nanoseconds time, bool in_nif, std::int64_t fcalls = 100,
           beam::ThreadKind kind = beam::ThreadKind::normal, std::uint64_t reductions = 4000) {
    sampling::RawSample sample;
    sample.role = {kind, 1};
    sample.time = time;
    sample.process.emplace();
    sample.process->id = 3;
    sample.process->fcalls = fcalls;
    sample.scheduler.emplace();
    sample.scheduler->reductions = reductions;
    sample.scheduler->current_nif = current_nif_;
    sample.read_delay = read_delay_;
    attribution::Attribution meaning;
    meaning.in_nif = in_nif;
    holds_.add(sample, meaning);
  }
  std::uint64_t count() const {
    const auto& counts = holds_.seconds().bucket_counts;
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  double sum() const { return holds_.seconds().sum; }

  NifHolds holds_;
  std::chrono::nanoseconds read_delay_{};
  os::Address current_nif_ = 0x7f0000001000;
};

TEST_F(NifHoldsTest, from_the_first_to_the_last_sample_of_a_call) {
  see(10ms, true);
  see(20ms, true);
  see(40ms, true);
  EXPECT_EQ(count(), 0U);
  see(50ms, false);
  EXPECT_EQ(count(), 1U);
  EXPECT_DOUBLE_EQ(sum(), 0.03);
}

TEST_F(NifHoldsTest, counters_that_were_read_after_the_call_prove_nothing) {
  see(10ms, true);
  current_nif_ = 0;
  see(20ms, true);
  current_nif_ = 0x7f0000001000;
  see(50ms, true);
  see(60ms, false);
  EXPECT_EQ(count(), 2U);
  EXPECT_DOUBLE_EQ(sum(), 0);
}

TEST_F(NifHoldsTest, each_call_costs_a_reduction_and_so_is_another_one) {
  see(10ms, true, 100);
  see(20ms, true, 100);
  see(30ms, true, 99);
  see(40ms, false);
  EXPECT_EQ(count(), 2U);
  EXPECT_DOUBLE_EQ(sum(), 0.01);
}

TEST_F(NifHoldsTest, in_another_timeslice_it_is_another_call_though_all_else_is_the_same) {
  see(10ms, true, 100, beam::ThreadKind::normal, 4000);
  see(20ms, true, 100, beam::ThreadKind::normal, 8000);
  see(30ms, true, 100, beam::ThreadKind::normal, 8000);
  see(40ms, false);
  EXPECT_EQ(count(), 2U);
  EXPECT_DOUBLE_EQ(sum(), 0.01);
}

TEST_F(NifHoldsTest, what_was_read_late_may_be_of_a_call_that_began_since) {
  read_delay_ = 3ms;
  see(10ms, true);
  see(20ms, true);
  see(30ms, false);
  EXPECT_DOUBLE_EQ(sum(), 0.007);
  see(40ms, true, 50);
  see(42ms, true, 50);
  see(50ms, false);
  EXPECT_DOUBLE_EQ(sum(), 0.007) << "never less than nothing";
}

TEST_F(NifHoldsTest, dirty_schedulers_may_be_held_for_long) {
  see(10ms, true, 100, beam::ThreadKind::dirty_cpu);
  see(20ms, true, 100, beam::ThreadKind::dirty_cpu);
  see(30ms, false, 100, beam::ThreadKind::dirty_cpu);
  EXPECT_EQ(count(), 0U);
}

TEST_F(NifHoldsTest, a_vm_that_is_gone_ends_its_calls) {
  see(10ms, true);
  see(20ms, true);
  holds_.forget();
  EXPECT_EQ(count(), 1U);
  EXPECT_DOUBLE_EQ(sum(), 0.01);
}

}  // namespace
}  // namespace beam_exporter::totals
