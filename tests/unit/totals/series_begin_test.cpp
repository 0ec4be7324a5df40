#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "totals/scrapers.h"
#include "totals/top_functions.h"

// How a series of TopFunctions begins while somebody scrapes.
namespace beam_exporter::totals {
namespace {

using testing::ElementsAre;
using Series = std::pair<std::string, double>;

std::vector<Series> series_of(const TopFunctions& top) {
  std::vector<Series> series;
  for (const auto& time : top.times()) series.push_back({time.function, time.seconds});
  return series;
}

const FunctionKey hot{"m", "hot/0"}, hotter{"m", "hotter/0"};

TEST(SeriesBegin, at_0_until_every_scraper_has_seen_it_and_then_has_all) {
  TopFunctions top(3);
  top.show(1, 0);
  top.add(hot, 2);
  top.show(2, 1);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hot/0", 0}, Series{"other", 0}));
  top.add(hot, 3);
  top.show(3, 1);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hot/0", 0}, Series{"other", 0}))
      << "not yet seen";
  top.show(4, 2);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hot/0", 5}, Series{"other", 0}));
  top.add(hot, 1);
  top.show(5, 2);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hot/0", 6}, Series{"other", 0}));
}

TEST(SeriesBegin, at_once_when_nobody_scrapes) {
  TopFunctions top(3);
  top.show(1, Scrapers::all_snapshots);
  top.add(hot, 2);
  top.show(2, Scrapers::all_snapshots);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hot/0", 2}, Series{"other", 0}));
}

TEST(SeriesBegin, a_series_that_comes_back_first_says_what_it_said_last) {
  TopFunctions top(1);
  top.show(1, Scrapers::all_snapshots);
  top.add(hot, 1);
  top.show(2, Scrapers::all_snapshots);
  top.add(hotter, 10);
  top.rebalance();
  for (int k = 0; k < 8; ++k) top.rebalance();
  top.add(hot, 100);
  top.rebalance();
  top.add(hot, 5);
  top.show(3, 2);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hot/0", 1}, Series{"other", 110}));
  top.show(4, 3);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hot/0", 6}, Series{"other", 110}));
}

TEST(SeriesBegin, what_waits_goes_to_other_when_the_series_goes) {
  TopFunctions top(1);
  top.show(1, 0);
  top.add(hot, 1);
  top.show(2, 1);
  top.add(hotter, 10);
  top.rebalance();
  top.show(3, 1);
  EXPECT_THAT(series_of(top), ElementsAre(Series{"hotter/0", 0}, Series{"other", 11}));
}

}  // namespace
}  // namespace beam_exporter::totals
