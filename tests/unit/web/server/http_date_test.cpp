#include "web/server/http_date.h"

#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

TEST(HttpDate, is_spelled_as_in_the_standard) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110, 5.6.7
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(951825599), "Tue, 29 Feb 2000 11:59:59 GMT");
}

}  // namespace
}  // namespace beam_exporter::web
