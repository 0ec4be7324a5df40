#include "beam/schedulers/sleep_flags.h"

#include <gtest/gtest.h>

namespace beam_exporter::beam {
namespace {

TEST(SleepFlags, have_the_names_of_erts) {
  EXPECT_EQ(sleep_flags_text(0), "awake");
  EXPECT_EQ(sleep_flags_text(0b001011), "sleeping, poll_sleeping, waiting");
  EXPECT_EQ(sleep_flags_text(0b001101), "sleeping, tse_sleeping, waiting");
  EXPECT_EQ(sleep_flags_text(sleep_flags::suspended), "suspended");
  EXPECT_EQ(sleep_flags_text(1u << 5), "msb_exec");
}

TEST(SleepFlags, a_bit_without_a_name_is_a_number) {
  EXPECT_EQ(sleep_flags_text(1u << 3 | 1u << 6 | 1u << 31), "waiting, 0x40, 0x80000000");
}

}  // namespace
}  // namespace beam_exporter::beam
