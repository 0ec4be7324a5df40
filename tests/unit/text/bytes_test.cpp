#include "text/bytes.h"

#include <gtest/gtest.h>

namespace beam_exporter::text {
namespace {

TEST(BytesText, takes_the_unit_that_leaves_few_digits) {
  EXPECT_EQ(bytes_text(0), "0.0 KiB");
  EXPECT_EQ(bytes_text(512), "0.5 KiB");
  EXPECT_EQ(bytes_text(1 << 20), "1.0 MiB");
  EXPECT_EQ(bytes_text(-1.5 * (1 << 20)), "-1.5 MiB");
  EXPECT_EQ(bytes_text(5.0 * (1 << 30)), "5.0 GiB");
}

}  // namespace
}  // namespace beam_exporter::text
