#include "beam/processes/process_id.h"

#include <gtest/gtest.h>

namespace beam_exporter::beam {
namespace {

constexpr Eterm id_tag = 0x3;

TEST(ProcessIdText, up_to_25_the_lower_half_has_number_and_serial) {
  const ProcessIdForm form{.slot_in_upper_half = true, .slot_mask = 0x3ffff};
  EXPECT_EQ(process_id_text(form, Eterm{123} << 4 | id_tag), "<0.123.0>");
  EXPECT_EQ(process_id_text(form, Eterm{77} << 32 | Eterm{7 << 15 | 32767} << 4 | id_tag),
            "<0.32767.7>");
}

// Seen in a VM of OTP 27 with +P 262144: <0.70085.0> is in slot 36394.
TEST(ProcessIdText, since_26_the_slot_tells_the_number) {
  const ProcessIdForm form{.slot_in_upper_half = false, .slot_mask = 0x3ffff};
  EXPECT_EQ(process_id_text(form, Eterm{36394} << 4 | id_tag), "<0.70085.0>");
  EXPECT_EQ(process_id_text(form, (Eterm{1} << 18 | 36394) << 4 | id_tag), "<0.332229.0>");
  EXPECT_EQ(process_id_text(form, (Eterm{5} << 28 | 36394) << 4 | id_tag), "<0.70085.5>");
}

}  // namespace
}  // namespace beam_exporter::beam
