#include "totals/latest_snapshot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace beam_exporter::totals {
namespace {

TEST(LatestSnapshot, is_never_empty) {
  const LatestSnapshot board;
  ASSERT_NE(board.newest(), nullptr);
  EXPECT_FALSE(board.newest()->up);
}

TEST(LatestSnapshot, shows_the_newest_and_leaves_readers_what_they_hold) {
  LatestSnapshot board;
  const auto empty = board.newest();
  auto first = std::make_shared<Snapshot>();
  first->target_restarts = 1;
  board.publish(first);
  const auto held = board.newest();
  auto second = std::make_shared<Snapshot>();
  second->target_restarts = 2;
  board.publish(second);
  EXPECT_EQ(empty->target_restarts, 0);
  EXPECT_EQ(held->target_restarts, 1);
  EXPECT_EQ(board.newest()->target_restarts, 2);
  EXPECT_EQ(first.use_count(), 2);  // ours and `held`: the board keeps only the newest
}

TEST(LatestSnapshot, readers_never_see_time_go_back) {
  LatestSnapshot board;
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int k = 0; k < 3; ++k)
    readers.emplace_back([&] {
      double last = 0;
      while (!done) {
        const auto snapshot = board.newest();
        EXPECT_GE(snapshot->target_restarts, last);
        EXPECT_EQ(snapshot->samples.total, snapshot->target_restarts);
        last = snapshot->target_restarts;
      }
    });
  for (int k = 1; k <= 2000; ++k) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->target_restarts = k;
    snapshot->samples.total = k;
    board.publish(std::move(snapshot));
  }
  done = true;
  for (auto& reader : readers) reader.join();
}

}  // namespace
}  // namespace beam_exporter::totals
