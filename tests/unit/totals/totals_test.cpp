#include "totals/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fakes/fake_vm.h"

namespace beam_exporter::totals {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Pair;
using testing::UnorderedElementsAre;

class TotalsTest : public testing::Test {
 protected:
  void SetUp() override { attached_ = attached(vm_); }

  static std::unique_ptr<beam::VirtualMachine> attached(const tests::FakeVm& vm) {
    auto made = vm.attach();
    if (!made) ADD_FAILURE() << made.error().text;
    return std::move(*made);
  }

  static sampling::RawSample sample(std::chrono::nanoseconds skid = 0ns) {
    sampling::RawSample out;
    out.role = {beam::ThreadKind::normal, 1};
    out.cpu_time = 10ms;
    out.skid = skid;
    return out;
  }
  static attribution::Attribution in_function(beam::Mfa self,
                                              std::vector<beam::Mfa> inclusive = {}) {
    return {.state = attribution::State::emulator, .self = self, .inclusive = std::move(inclusive)};
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

  tests::FakeVm vm_{tests::shipped_layout("25")};
  std::unique_ptr<beam::VirtualMachine> attached_;
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
  totals_.add(sample(), serving, *attached_);
  totals_.add_growth("eheap_alloc", 100, serving, *attached_);
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
  EXPECT_EQ(snapshot.samples.skid_seconds.bucket_counts.size(),
            snapshot.samples.skid_seconds.bounds.size() + 1);
  EXPECT_TRUE(std::ranges::is_sorted(snapshot.samples.skid_seconds.bounds));
}

TEST_F(TotalsTest, a_sample_counts_its_cpu_time_for_self_and_once_for_each_inclusive_function) {
  const beam::Mfa leaf{vm_.atom("lists"), vm_.atom("leaf"), 2};
  const beam::Mfa top{vm_.atom("Elixir.My.App"), vm_.atom("run!"), 0};
  totals_.add(sample(), in_function(leaf, {leaf, top}), *attached_);
  totals_.add(sample(), in_function(top, {top}), *attached_);
  totals_.add(sample(), in_function(top, {top}), *attached_);
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
  const beam::Mfa leaf{vm_.atom("lists"), vm_.atom("leaf"), 2};
  const beam::ThreadRole role{beam::ThreadKind::normal, 1};
  totals_.advance({role}, 1s);
  totals_.add(sample(), in_function(leaf), *attached_);
  totals_.add(sample(), {}, *attached_);
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
                  *attached_);
  totals_.add(sample(), {}, *attached_);  // a thread without a process needs no function
  const auto counts = written().samples;
  const std::size_t reasons = attribution::unattributed_names.size();
  EXPECT_EQ(counts.total, reasons * (reasons + 1) / 2 + 1);
  for (std::size_t k = 0; k < attribution::unattributed_names.size(); ++k)
    EXPECT_EQ(counts.unattributed.at(std::string(attribution::unattributed_names[k])), k + 1);
}

TEST_F(TotalsTest, a_function_whose_name_cannot_be_read_is_unattributed_and_not_invented) {
  const beam::Mfa unreadable{vm_.atom("gone"), vm_.atom("f"), 0};
  vm_.memory.forget(vm_.atom_object(unreadable.module), 8);
  totals_.add(sample(), in_function(unreadable, {unreadable}), *attached_);
  totals_.add(sample(), in_function({0x1234567, 0, 0}), *attached_);
  const Snapshot snapshot = written();
  EXPECT_THAT(by_name(snapshot.functions), UnorderedElementsAre(Pair(":other", 0)));
  EXPECT_THAT(by_name(snapshot.inclusive_functions), UnorderedElementsAre(Pair(":other", 0)));
  EXPECT_EQ(snapshot.samples.unattributed.at("no_function"), 2);
}

// A bound belongs to its bucket; what is beyond the last goes to +Inf.
TEST_F(TotalsTest, skid_falls_into_its_bucket) {
  for (const auto skid : {0ns, 10'000ns, 10'001ns, 100'000'000ns, 100'000'001ns, 3'000'000'000ns})
    totals_.add(sample(skid), {}, *attached_);
  const auto skid = written().samples.skid_seconds;
  ASSERT_EQ(skid.bounds.front(), 0.00001);
  ASSERT_EQ(skid.bounds.back(), 0.1);
  EXPECT_EQ(skid.bucket_counts[0], 2u);
  EXPECT_EQ(skid.bucket_counts[1], 1u);
  EXPECT_EQ(skid.bucket_counts[skid.bounds.size() - 1], 1u);
  EXPECT_EQ(skid.bucket_counts[skid.bounds.size()], 2u);
  EXPECT_EQ(std::accumulate(skid.bucket_counts.begin(), skid.bucket_counts.end(), 0u), 6u);
  EXPECT_NEAR(skid.sum, 3.200020002, 1e-9);
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

TEST_F(TotalsTest, the_next_vm_has_its_own_names_and_the_counters_go_on) {
  const beam::Mfa old{vm_.atom("one"), vm_.atom("f"), 0};
  totals_.add(sample(), in_function(old, {old}), *attached_);
  totals_.forget_vm();

  tests::FakeVm next(tests::shipped_layout("27"));
  ASSERT_EQ(next.atom("two"), old.module);  // the same term is another name there
  ASSERT_EQ(next.atom("g"), old.function);
  const auto next_attached = attached(next);
  totals_.add(sample(), in_function(old, {old}), *next_attached);
  const beam::Mfa same_name{next.atom("one"), next.atom("f"), 0};
  totals_.add(sample(), in_function(same_name), *next_attached);

  const Snapshot snapshot = written();
  EXPECT_THAT(by_name(snapshot.functions),
              UnorderedElementsAre(Pair("one:f/0", testing::DoubleEq(0.02)),
                                   Pair("two:g/0", testing::DoubleEq(0.01)), Pair(":other", 0)));
  EXPECT_EQ(snapshot.samples.total, 3);
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
      const beam::Mfa mfa{vm_.atom("m"), vm_.atom(name), 0};
      totals_.add(sample(), in_function(mfa, {mfa}), *attached_);
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
