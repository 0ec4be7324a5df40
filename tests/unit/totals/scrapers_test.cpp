#include "totals/scrapers.h"

#include <gtest/gtest.h>

namespace beam_exporter::totals {
namespace {

using namespace std::chrono_literals;

TEST(Scrapers, nobody_scrapes_and_nobody_is_waited_for) {
  Scrapers scrapers;
  EXPECT_EQ(scrapers.seen_by_all(9, {}), Scrapers::all_snapshots);
}

TEST(Scrapers, who_is_not_known_has_seen_what_was_published) {
  Scrapers scrapers;
  scrapers.served_another();
  EXPECT_EQ(scrapers.seen_by_all(9, {}), 9U);
  scrapers.served("a", 5, {});
  EXPECT_EQ(scrapers.seen_by_all(9, {}), 5U);
}

TEST(Scrapers, the_slowest_decides) {
  Scrapers scrapers;
  const Scrapers::Clock::time_point now{};
  scrapers.served("a", 5, now);
  scrapers.served("b", 3, now);
  EXPECT_EQ(scrapers.seen_by_all(2000, now), 3U);
  scrapers.served("b", 9, now);
  EXPECT_EQ(scrapers.seen_by_all(2000, now), 5U);
  scrapers.served("a", 4, now);
  EXPECT_EQ(scrapers.seen_by_all(2000, now), 5U)
      << "an older page after a newer one takes nothing back";
}

TEST(Scrapers, who_stays_away_is_forgotten) {
  Scrapers scrapers;
  const Scrapers::Clock::time_point now{};
  scrapers.served("a", 5, now);
  scrapers.served("b", 7, now + 90s);
  EXPECT_EQ(scrapers.seen_by_all(2000, now + 120s), 5U);
  EXPECT_EQ(scrapers.seen_by_all(2000, now + 121s), 7U);
  EXPECT_EQ(scrapers.seen_by_all(2000, now + 211s), Scrapers::all_snapshots);
}

TEST(Scrapers, are_of_a_bounded_number) {
  Scrapers scrapers;
  const Scrapers::Clock::time_point now{};
  for (int k = 0; k < 1000; ++k) scrapers.served(std::to_string(k), 1000U - k, now);
  EXPECT_EQ(scrapers.seen_by_all(2000, now), 1000U - 63);
}

}  // namespace
}  // namespace beam_exporter::totals
