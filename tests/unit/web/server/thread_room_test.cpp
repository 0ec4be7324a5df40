#include "web/server/thread_room.h"

#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

// Where a limit leaves fewer: tests/integration/tight_limits.py.
TEST(ThreadRoom, where_nothing_limits_them_all_can_be_started) {
  EXPECT_EQ(startable_threads(0), 0u);
  EXPECT_EQ(startable_threads(60), 60u);
}

}  // namespace
}  // namespace beam_exporter::web
