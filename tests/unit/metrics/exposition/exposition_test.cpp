#include "metrics/exposition/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "unit/metrics/example_snapshot.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CountingCollector : public prometheus::Collectable {
 public:
  Families Collect() const override {
    Families out;
    FamilyBuilder(name).add({}, static_cast<double>(++calls)).append_to(out);
    return out;
  }
  std::string name = "beam_samples_total";
  mutable std::atomic<int> calls = 0;
};

class ExpositionTest : public ::testing::Test {
 protected:
  void publish() { latest_.publish(std::make_shared<const totals::Snapshot>()); }
  std::string text(Format format = Format::text_0_0_4) {
    const auto page = exposition_.render(format);
    return page ? **page : page.error().text;
  }

  totals::LatestSnapshot latest_;
  std::shared_ptr<CountingCollector> collector_ = std::make_shared<CountingCollector>();
  std::chrono::steady_clock::time_point now_{};
  Exposition exposition_{latest_, {collector_}, {}, [this] { return now_; }};
};

TEST_F(ExpositionTest, renders_once_for_a_snapshot_and_a_format) {
  const auto first = exposition_.render(Format::text_0_0_4);
  const auto second = exposition_.render(Format::text_0_0_4);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(collector_->calls, 1);

  EXPECT_THAT(text(Format::open_metrics_1_0_0), HasSubstr("# EOF"));
  EXPECT_EQ(collector_->calls, 2);
  EXPECT_THAT(text(), HasSubstr("beam_samples_total 1\n"));
}

TEST_F(ExpositionTest, a_new_snapshot_is_served_by_the_next_scrape) {
  text();
  publish();
  EXPECT_THAT(text(), HasSubstr("beam_samples_total 2\n"));
  publish();
  EXPECT_THAT(text(), HasSubstr("beam_samples_total 3\n"));
}

TEST_F(ExpositionTest, without_a_new_snapshot_a_page_lives_for_a_second) {
  text();
  now_ += std::chrono::milliseconds(999);
  text();
  EXPECT_EQ(collector_->calls, 1);
  now_ += std::chrono::milliseconds(1);
  text();
  EXPECT_EQ(collector_->calls, 2);
}

TEST_F(ExpositionTest, forty_scrapers_at_once_cost_one_rendering) {
  std::latch start(40);
  std::vector<std::jthread> scrapers;
  std::atomic<int> good = 0;
  for (int i = 0; i < 40; ++i) {
    scrapers.emplace_back([&] {
      start.arrive_and_wait();
      if (text().find("beam_samples_total 1\n") != std::string::npos) ++good;
    });
  }
  scrapers.clear();
  EXPECT_EQ(good, 40);
  EXPECT_EQ(collector_->calls, 1);
}

TEST_F(ExpositionTest, an_unknown_family_is_an_error_and_is_not_kept) {
  collector_->name = "beam_nothing";
  EXPECT_THAT(text(), HasSubstr("beam_nothing is not in the catalogue"));
  collector_->name = "beam_samples_total";
  EXPECT_THAT(text(), HasSubstr("beam_samples_total 2\n"));
}

TEST(ExpositionOf, serves_the_board_and_ourselves) {
  totals::LatestSnapshot latest;
  latest.publish(std::make_shared<const totals::Snapshot>(example_snapshot()));
  const auto page = exposition_of(latest, example_build())->render(Format::text_0_0_4);
  ASSERT_TRUE(page) << page.error().text;
  EXPECT_THAT(**page, HasSubstr("beam_up 1\n"));
  EXPECT_THAT(**page, HasSubstr("\nbeam_exporter_collector_success{"));
  EXPECT_THAT(**page, HasSubstr("\nprocess_resident_memory_bytes "));
}

TEST(ExpositionOf, can_leave_out_the_exporter_itself_but_not_its_build) {
  totals::LatestSnapshot latest;
  latest.publish(std::make_shared<const totals::Snapshot>(example_snapshot()));
  const auto page = exposition_of(latest, example_build(), {.exporter_metrics = false})
                        ->render(Format::text_0_0_4);
  ASSERT_TRUE(page) << page.error().text;
  EXPECT_THAT(**page, HasSubstr("beam_up 1\n"));
  EXPECT_THAT(**page, HasSubstr("\nbeam_exporter_build_info{"));
  EXPECT_THAT(**page, Not(HasSubstr("\nbeam_exporter_collector_success{")));
  EXPECT_THAT(**page, Not(HasSubstr("\nprocess_")));
}

}  // namespace
}  // namespace beam_exporter::metrics
