#include "totals/latest_snapshot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace beam_exporter::totals {
namespace {

TEST(LatestSnapshot, is_never_empty) {
  const LatestSnapshot latest;
  ASSERT_NE(latest.newest(), nullptr);
  EXPECT_FALSE(latest.newest()->up);
}

TEST(LatestSnapshot, shows_the_newest_and_leaves_readers_what_they_hold) {
  LatestSnapshot latest;
  const auto empty = latest.newest();
  auto first = std::make_shared<Snapshot>();
  first->target_restarts = 1;
  latest.publish(first);
  const auto held = latest.newest();
  auto second = std::make_shared<Snapshot>();
  second->target_restarts = 2;
  latest.publish(second);
  EXPECT_EQ(empty->target_restarts, 0);
  EXPECT_EQ(held->target_restarts, 1);
  EXPECT_EQ(latest.newest()->target_restarts, 2);
  EXPECT_EQ(first.use_count(), 2);  // ours and `held`: the latest keeps only the newest
}

TEST(LatestSnapshot, readers_never_see_time_go_back) {
  LatestSnapshot latest;
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int k = 0; k < 3; ++k)
    readers.emplace_back([&] {
      double last = 0;
      while (!done) {
        const auto snapshot = latest.newest();
        EXPECT_GE(snapshot->target_restarts, last);
        EXPECT_EQ(snapshot->samples.total, snapshot->target_restarts);
        last = snapshot->target_restarts;
      }
    });
  for (int k = 1; k <= 2000; ++k) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->target_restarts = k;
    snapshot->samples.total = k;
    latest.publish(std::move(snapshot));
  }
  done = true;
  for (auto& reader : readers) reader.join();
}

}  // namespace
}  // namespace beam_exporter::totals
