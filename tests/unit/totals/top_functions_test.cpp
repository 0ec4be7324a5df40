#include "totals/top_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <random>
#include <string>

namespace beam_exporter::totals {
namespace {

using testing::ElementsAre;

using Series = std::pair<std::string, double>;

FunctionKey key(int k) { return {"m", "f" + std::to_string(k) + "/0"}; }

std::vector<Series> shown(const TopFunctions& top) {
  std::vector<Series> series;
  for (const auto& time : top.times()) series.push_back({time.function, time.seconds});
  return series;
}

TEST(TopFunctions, other_is_always_there) {
  const TopFunctions top(3);
  ASSERT_EQ(top.times().size(), 1u);
  EXPECT_EQ(top.times()[0].module, "");
  EXPECT_EQ(top.times()[0].function, "other");
  EXPECT_EQ(top.times()[0].seconds, 0);
}

TEST(TopFunctions, everybody_has_a_series_while_there_is_room) {
  TopFunctions top(3);
  top.add({"b", "f/0"}, 1);
  top.add({"a", "f/0"}, 1);
  top.add({"a", "f/1"}, 3);
  top.add({"b", "f/0"}, 0.5);
  EXPECT_THAT(shown(top), ElementsAre(Series{"f/1", 3}, Series{"f/0", 1.5}, Series{"f/0", 1},
                                      Series{"other", 0}));
  EXPECT_EQ(top.times()[1].module, "b");
  EXPECT_EQ(top.times()[2].module, "a");
}

TEST(TopFunctions, the_rest_is_in_other) {
  TopFunctions top(1);
  top.add(key(1), 1);
  top.add(key(2), 2);
  top.add(key(3), 4);
  EXPECT_THAT(shown(top), ElementsAre(Series{"f1/0", 1}, Series{"other", 6}));
}

TEST(TopFunctions, a_newcomer_starts_at_0_and_the_replaced_one_goes_on_from_where_it_was) {
  TopFunctions top(1);
  top.add(key(1), 1);
  top.add(key(2), 4);
  top.rebalance();
  EXPECT_THAT(shown(top), ElementsAre(Series{"f2/0", 0}, Series{"other", 4}));
  top.add(key(2), 1);
  top.add(key(1), 16);
  EXPECT_THAT(shown(top), ElementsAre(Series{"f2/0", 1}, Series{"other", 20}));
  top.rebalance();
  EXPECT_THAT(shown(top), ElementsAre(Series{"f1/0", 1}, Series{"other", 20}));
  top.add(key(1), 2);
  EXPECT_THAT(shown(top), ElementsAre(Series{"f1/0", 3}, Series{"other", 20}));
}

TEST(TopFunctions, near_equals_do_not_take_turns) {
  TopFunctions top(1);
  top.add(key(1), 1);
  for (int round = 0; round < 20; ++round) {
    top.add(key(1), 1);
    top.add(key(2), 1.4);
    top.rebalance();
    ASSERT_EQ(shown(top)[0].first, "f1/0") << round;
  }
  for (int round = 0; round < 20; ++round) {
    top.add(key(1), 1);
    top.add(key(2), 2);
    top.rebalance();
  }
  EXPECT_EQ(shown(top)[0].first, "f2/0");
}

TEST(TopFunctions, a_holder_that_fell_silent_gives_way) {
  TopFunctions top(2);
  top.add(key(1), 1000);
  top.add(key(2), 1);
  for (int round = 0; round < 20; ++round) {
    top.add(key(2), 1);
    top.add(key(3), 1);
    top.rebalance();
  }
  EXPECT_THAT(shown(top), ElementsAre(Series{"f2/0", 21}, testing::Pair("f3/0", testing::Gt(0)),
                                      testing::Pair("other", testing::Gt(0))));
}

TEST(TopFunctions, silence_alone_takes_no_series_away) {
  TopFunctions top(2);
  top.add(key(1), 1);
  top.add(key(2), 2);
  for (int round = 0; round < 2000; ++round) top.rebalance();
  EXPECT_THAT(shown(top), ElementsAre(Series{"f2/0", 2}, Series{"f1/0", 1}, Series{"other", 0}));
}

TEST(TopFunctions, the_limit_shrinks_to_the_hottest_and_grows_again) {
  TopFunctions top(4);
  for (int k = 1; k <= 6; ++k) top.add(key(k), k);
  EXPECT_EQ(shown(top).size(), 5u);
  top.set_limit(2);
  EXPECT_EQ(shown(top).size(), 5u);  // until the next rebalance
  top.rebalance();
  // f6 used more than half as much again as the weaker of the two that stay, f3.
  EXPECT_THAT(shown(top), ElementsAre(Series{"f4/0", 4}, Series{"f6/0", 0}, Series{"other", 11}));
  top.add(key(1), 1);  // no room
  EXPECT_EQ(shown(top).back(), (Series{"other", 12}));
  top.set_limit(6);
  top.rebalance();
  EXPECT_THAT(shown(top), ElementsAre(Series{"f4/0", 4}, Series{"f3/0", 3}, Series{"f2/0", 2},
                                      Series{"f1/0", 1}, Series{"f5/0", 0}, Series{"f6/0", 0},
                                      Series{"other", 12}));
}

TEST(TopFunctions, a_limit_of_0_leaves_only_other) {
  TopFunctions top(0);
  top.add(key(1), 1);
  top.rebalance();
  EXPECT_THAT(shown(top), ElementsAre(Series{"other", 1}));
  top.set_limit(1);
  top.rebalance();
  EXPECT_THAT(shown(top), ElementsAre(Series{"f1/0", 0}, Series{"other", 1}));
  top.set_limit(0);
  top.rebalance();
  EXPECT_THAT(shown(top), ElementsAre(Series{"other", 1}));
}

// Whoever scrapes often enough sees every series only grow, over gaps too, and what the series ever
// said together with `other` is everything that was ever added.
TEST(TopFunctions, whatever_happens_numbers_only_grow_and_nothing_is_lost) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
    std::size_t limit = static_cast<std::size_t>(up_to(8));
    TopFunctions top(limit);
    std::map<std::string, double> last_said;
    double added = 0;
    const auto scrape = [&] {
      const auto times = top.times();
      ASSERT_EQ(times.back().function, "other");
      for (std::size_t k = 0; k < times.size(); ++k) {
        ASSERT_GE(times[k].seconds, last_said[times[k].function]) << times[k].function;
        last_said[times[k].function] = times[k].seconds;
        if (k > 0 && k + 1 < times.size()) {
          ASSERT_LE(times[k].seconds, times[k - 1].seconds);
        }
      }
      double sum = 0;
      for (const auto& [name, seconds] : last_said) sum += seconds;
      ASSERT_NEAR(sum, added, 1e-9 * (1 + added)) << "seed " << seed;
    };
    for (int step = 0; step < 3000; ++step) {
      const int what = up_to(99);
      if (what < 90) {
        // The hot ones change as the program does.
        const double seconds = up_to(1000) / 1e4;
        top.add(key((step / 500) * 7 + up_to(up_to(40))), seconds);
        added += seconds;
      } else if (what < 98) {
        scrape();
        top.rebalance();
        ASSERT_LE(top.times().size(), limit + 1);
      } else {
        limit = static_cast<std::size_t>(up_to(8));
        top.set_limit(limit);
      }
      scrape();
      if (HasFatalFailure()) return;
    }
  }
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t whole = 0, resident = 0;
  file >> whole >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(TopFunctions, endless_new_names_take_bounded_room_and_bury_nobody) {
  constexpr int names = 100'000;
  constexpr std::size_t name_bytes = 4000;  // 400 MB if all were kept
  TopFunctions top(2);
  top.add(key(1), 1);
  top.add(key(2), 1);
  FunctionKey fresh{"m", std::string(name_bytes, 'x')};
  std::size_t half_way = 0;
  for (int k = 0; k < names; ++k) {
    const std::string number = std::to_string(k);
    fresh.function.replace(0, number.size(), number);
    top.add(fresh, 0.01);
    if (k == names / 2) half_way = resident_bytes();
  }
  // Half of the flood is far more than is remembered: the other half takes no room at all.
  EXPECT_LT(resident_bytes(), half_way + (50u << 20));
  EXPECT_EQ(shown(top).back().first, "other");
  EXPECT_NEAR(shown(top).back().second, names * 0.01, 1e-6);
  // A hot function that comes later gets its series once the flood is forgotten.
  for (int round = 0; round < 20; ++round) {
    top.add(key(3), 1);
    top.add(key(2), 1);
    top.rebalance();
  }
  EXPECT_THAT(shown(top), ElementsAre(Series{"f2/0", 21}, testing::Pair("f3/0", testing::Gt(5)),
                                      testing::Pair("other", testing::Gt(0))));
}

}  // namespace
}  // namespace beam_exporter::totals
