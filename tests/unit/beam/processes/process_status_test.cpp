#include "beam/processes/process_status.h"

#include <gtest/gtest.h>

#include "beam/processes/process_fields.h"

namespace beam_exporter::beam {
namespace {

TEST(ProcessStatus, each_flag_has_its_word) {
  using namespace process_flags;
  EXPECT_EQ(name_of(process_status(0)), "waiting");
  for (const auto flag : {active, active_sys, dirty_active_sys})
    EXPECT_EQ(name_of(process_status(flag)), "runnable") << flag;
  for (const auto flag : {running, running_sys, dirty_running, dirty_running_sys})
    EXPECT_EQ(name_of(process_status(flag)), "running") << flag;
  EXPECT_EQ(name_of(process_status(suspended)), "suspended");
  EXPECT_EQ(name_of(process_status(gc)), "garbage_collecting");
  EXPECT_EQ(name_of(process_status(exiting)), "exiting");
}

TEST(ProcessStatus, of_several_flags_the_vms_own_order_decides) {
  using namespace process_flags;
  EXPECT_EQ(process_status(active | running), ProcessStatus::running);
  EXPECT_EQ(process_status(active | running | suspended), ProcessStatus::suspended);
  EXPECT_EQ(process_status(running | suspended | gc), ProcessStatus::garbage_collecting);
  EXPECT_EQ(process_status(running | gc | exiting), ProcessStatus::exiting);
  // Queued, with signals, with its messages off the heap: none of these says what it does.
  EXPECT_EQ(process_status(1u << 6 | 1u << 12 | 1u << 14 | 1u << 24), ProcessStatus::waiting);
}

}  // namespace
}  // namespace beam_exporter::beam
