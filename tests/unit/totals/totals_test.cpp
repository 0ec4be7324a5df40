#include "totals/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace beam_exporter::totals {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Pair;
using testing::UnorderedElementsAre;

class TotalsTest : public testing::Test {
 protected:
  static sampling::RawSample sample(std::chrono::nanoseconds read_delay = 0ns) {
    sampling::RawSample out;
    out.role = {beam::ThreadKind::normal, 1};
    out.cpu_time = 10ms;
    out.read_delay = read_delay;
    return out;
  }
  // A sample in a function of that name, with these anywhere on the stack.
  void add_in(const FunctionKey& self, const std::vector<FunctionKey>& inclusive = {}) {
    SampleLabels labels{.self = &self};
    for (const auto& function : inclusive) labels.inclusive.push_back(&function);
    totals_.add(sample(), in_a_function(), labels);
  }
  static attribution::Attribution in_a_function() {
    return {.state = attribution::State::emulator, .self = beam::Mfa{}};
  }
  Snapshot written() const {
    Snapshot snapshot;
    totals_.write(snapshot);
    return snapshot;
  }
  static std::map<std::string, double> by_name(const std::vector<FunctionTime>& times) {
    std::map<std::string, double> named;
    for (const auto& time : times) named[time.module + ":" + time.function] = time.seconds;
    return named;
  }

  Totals totals_{{.functions = 3, .inclusive_functions = 2, .blame = 2, .processes = 2}};
};

TEST_F(TotalsTest, zeros_mean_something_once_a_source_samples) {
  EXPECT_FALSE(written().sampled);
  totals_.begin_source();
  EXPECT_TRUE(written().sampled);
  totals_.forget_vm();
  EXPECT_TRUE(written().sampled) << "counters go on when the VM restarts";
}

TEST_F(TotalsTest, a_pseudo_function_stands_where_the_function_on_top_does) {
  totals_.set_blamed({"copy_struct"});
  attribution::Attribution serving{.state = attribution::State::emulator,
                                   .pseudo = attribution::PseudoFunction::signals,
                                   .families = 1};
  const FunctionKey signals{"", "signals"};
  totals_.add(sample(), serving, {.self = &signals});
  totals_.add_growth("eheap_alloc", 100, &signals);
  const Snapshot snapshot = written();
  EXPECT_DOUBLE_EQ(by_name(snapshot.functions).at(":signals"), 0.01);
  EXPECT_DOUBLE_EQ(by_name(snapshot.blame.at(0).functions).at(":signals"), 0.01);
  EXPECT_DOUBLE_EQ(by_name(snapshot.growth.at(0).functions).at(":signals"), 100);
  EXPECT_THAT(snapshot.samples.unattributed, Each(Pair(testing::_, 0)));
}

TEST_F(TotalsTest, every_reason_is_there_from_the_start) {
  const Snapshot snapshot = written();
  EXPECT_EQ(snapshot.samples.total, 0);
  EXPECT_EQ(snapshot.samples.lost.size(), sampling::loss_names.size());
  EXPECT_THAT(snapshot.samples.lost, Each(Pair(testing::_, 0)));
  EXPECT_EQ(snapshot.samples.unattributed.size(), attribution::unattributed_names.size());
  EXPECT_THAT(snapshot.samples.unattributed, Each(Pair(testing::_, 0)));
  EXPECT_EQ(snapshot.own.torn_reads.at("code"), 0);
  EXPECT_EQ(snapshot.samples.read_delay_seconds.bucket_counts.size(),
            snapshot.samples.read_delay_seconds.bounds.size() + 1);
  EXPECT_TRUE(std::ranges::is_sorted(snapshot.samples.read_delay_seconds.bounds));
}

TEST_F(TotalsTest, a_sample_counts_its_cpu_time_for_self_and_once_for_each_inclusive_function) {
  const FunctionKey leaf{"lists", "leaf/2"}, top{"My.App", "run!/0"};
  add_in(leaf, {leaf, top});
  add_in(top, {top});
  add_in(top, {top});
  const Snapshot snapshot = written();
  EXPECT_THAT(
      by_name(snapshot.functions),
      UnorderedElementsAre(Pair("lists:leaf/2", testing::DoubleEq(0.01)),
                           Pair("My.App:run!/0", testing::DoubleEq(0.02)), Pair(":other", 0)));
  EXPECT_THAT(
      by_name(snapshot.inclusive_functions),
      UnorderedElementsAre(Pair("lists:leaf/2", testing::DoubleEq(0.01)),
                           Pair("My.App:run!/0", testing::DoubleEq(0.03)), Pair(":other", 0)));
  EXPECT_EQ(snapshot.samples.total, 3);
  EXPECT_THAT(snapshot.samples.unattributed, Each(Pair(testing::_, 0)));
}

TEST_F(TotalsTest, samples_are_laid_into_wall_time) {
  const beam::ThreadRole role{beam::ThreadKind::normal, 1};
  totals_.advance({role}, 1s);
  add_in({"lists", "leaf/2"});
  totals_.add(sample(), {}, {});
  totals_.advance({role}, 2s);
  const Snapshot snapshot = written();
  ASSERT_EQ(snapshot.schedulers.size(), 1u);
  const auto& seconds = snapshot.schedulers[0].seconds;
  EXPECT_DOUBLE_EQ(seconds[static_cast<std::size_t>(attribution::State::emulator)], 0.01);
  EXPECT_DOUBLE_EQ(seconds[static_cast<std::size_t>(attribution::State::other)], 0.01);
  EXPECT_DOUBLE_EQ(seconds[static_cast<std::size_t>(attribution::State::sleep)], 0.98);
}

TEST_F(TotalsTest, counts_unattributed_samples_by_reason) {
  for (std::size_t k = 0; k < attribution::unattributed_names.size(); ++k)
    for (std::size_t times = 0; times <= k; ++times)
      totals_.add(sample(),
                  {.state = attribution::State::emulator,
                   .unattributed = static_cast<attribution::Unattributed>(k)},
                  {});
  totals_.add(sample(), {}, {});  // a thread without a process needs no function
  const auto counts = written().samples;
  const std::size_t reasons = attribution::unattributed_names.size();
  EXPECT_EQ(counts.total, reasons * (reasons + 1) / 2 + 1);
  for (std::size_t k = 0; k < attribution::unattributed_names.size(); ++k)
    EXPECT_EQ(counts.unattributed.at(std::string(attribution::unattributed_names[k])), k + 1);
}

TEST_F(TotalsTest, a_function_whose_name_cannot_be_read_is_unattributed_and_not_invented) {
  totals_.add(sample(), in_a_function(), {});
  totals_.add(sample(), in_a_function(), {});
  totals_.add_growth("eheap_alloc", 100, nullptr);
  const Snapshot snapshot = written();
  EXPECT_THAT(by_name(snapshot.functions), UnorderedElementsAre(Pair(":other", 0)));
  EXPECT_THAT(by_name(snapshot.inclusive_functions), UnorderedElementsAre(Pair(":other", 0)));
  EXPECT_EQ(snapshot.samples.unattributed.at("no_function"), 2);
  EXPECT_DOUBLE_EQ(by_name(snapshot.growth.at(0).functions).at(":none"), 100);
}

TEST_F(TotalsTest, what_is_not_work_of_a_nameable_process_is_nobodys) {
  const std::string shop = "shop";
  auto working = in_a_function();
  totals_.add(sample(), working, {.process = &shop});
  working.for_process = true;
  totals_.add(sample(), working, {.process = &shop});
  totals_.add(sample(), working, {});
  std::map<std::string, double> seconds;
  for (const auto& time : written().process_times) seconds[time.process] = time.seconds;
  EXPECT_THAT(seconds,
              UnorderedElementsAre(Pair("shop", testing::DoubleEq(0.01)),
                                   Pair("none", testing::DoubleEq(0.01)), Pair("other", 0)));
}

// A bound belongs to its bucket; what is beyond the last goes to +Inf.
TEST_F(TotalsTest, a_read_delay_falls_into_its_bucket) {
  for (const auto delay : {0ns, 10'000ns, 10'001ns, 100'000'000ns, 100'000'001ns, 3'000'000'000ns})
    totals_.add(sample(delay), {}, {});
  const auto delay = written().samples.read_delay_seconds;
  ASSERT_EQ(delay.bounds.front(), 0.00001);
  ASSERT_EQ(delay.bounds.back(), 0.1);
  EXPECT_EQ(delay.bucket_counts[0], 2u);
  EXPECT_EQ(delay.bucket_counts[1], 1u);
  EXPECT_EQ(delay.bucket_counts[delay.bounds.size() - 1], 1u);
  EXPECT_EQ(delay.bucket_counts[delay.bounds.size()], 2u);
  EXPECT_EQ(std::accumulate(delay.bucket_counts.begin(), delay.bucket_counts.end(), 0u), 6u);
  EXPECT_NEAR(delay.sum, 3.200020002, 1e-9);
}

TEST_F(TotalsTest, losses_go_on_over_sources_and_vms) {
  sampling::Losses losses;
  losses[sampling::Loss::ring_full] = 5;
  losses[sampling::Loss::no_user_state] = 1;
  totals_.set_losses(losses);
  totals_.set_losses(losses);  // since the source was made: no more than before
  EXPECT_EQ(written().samples.lost.at("ring_full"), 5);
  totals_.settle_source();
  totals_.settle_source();
  EXPECT_EQ(written().samples.lost.at("ring_full"), 5);
  losses[sampling::Loss::ring_full] = 2;
  totals_.set_losses(losses);
  EXPECT_EQ(written().samples.lost.at("ring_full"), 7);
  totals_.forget_vm();
  totals_.set_losses({});
  EXPECT_EQ(written().samples.lost.at("ring_full"), 7);
  EXPECT_EQ(written().samples.lost.at("no_user_state"), 2);
}

TEST_F(TotalsTest, what_sampling_cost_goes_on_and_is_absent_until_it_is_known) {
  totals_.set_cost(std::nullopt);
  totals_.settle_source();
  EXPECT_EQ(written().own.sampling_runs, std::nullopt);
  EXPECT_EQ(written().own.sampling_seconds, std::nullopt);
  totals_.set_cost(sampling::SourceCost{.runs = 10, .time = 5ms});
  EXPECT_EQ(written().own.sampling_runs, 10);
  totals_.settle_source();
  totals_.set_cost(std::nullopt);  // a source that does not tell
  EXPECT_EQ(written().own.sampling_runs, 10);
  totals_.set_cost(sampling::SourceCost{.runs = 2, .time = 1ms});
  EXPECT_EQ(written().own.sampling_runs, 12);
  EXPECT_DOUBLE_EQ(*written().own.sampling_seconds, 0.006);
}

TEST_F(TotalsTest, wall_time_stops_while_there_is_no_vm) {
  const beam::ThreadRole role{beam::ThreadKind::normal, 1};
  totals_.advance({role}, 0s);
  totals_.advance({role}, 1s);
  totals_.forget_vm();
  totals_.advance({role}, 100s);
  totals_.advance({role}, 101s);
  const Snapshot snapshot = written();
  const auto& seconds = snapshot.schedulers.at(0).seconds;
  EXPECT_DOUBLE_EQ(std::accumulate(seconds.begin(), seconds.end(), 0.0), 2);
}

TEST_F(TotalsTest, limits_change_while_running) {
  for (const char* name : {"a", "b", "c"})
    for (int times = 0; times < name[0] - 'a' + 1; ++times) {
      const FunctionKey function{"m", std::string(name) + "/0"};
      add_in(function, {function});
    }
  EXPECT_EQ(written().functions.size(), 4u);
  EXPECT_EQ(written().inclusive_functions.size(), 3u);
  totals_.set_limits({.functions = 1, .inclusive_functions = 3, .blame = 2, .processes = 2});
  totals_.rebalance();
  EXPECT_EQ(written().functions.size(), 2u);
  EXPECT_EQ(written().functions[0].function, "c/0");
  EXPECT_EQ(written().inclusive_functions.size(), 4u);
}

TEST_F(TotalsTest, counts_torn_reads_by_collector) {
  totals_.count_torn_read("code");
  totals_.count_torn_read("code");
  EXPECT_EQ(written().own.torn_reads.at("code"), 2);
}

}  // namespace
}  // namespace beam_exporter::totals
