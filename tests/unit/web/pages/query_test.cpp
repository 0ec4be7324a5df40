#include "web/pages/query.h"

#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

std::optional<std::int64_t> seconds(std::string_view query) {
  return query_number(query, "seconds", 30, 1, 300);
}

TEST(QueryNumber, is_the_value_or_what_it_is_without_one) {
  EXPECT_EQ(seconds(""), 30);
  EXPECT_EQ(seconds("second=5&xseconds=6"), 30);
  EXPECT_EQ(seconds("seconds=1"), 1);
  EXPECT_EQ(seconds("a=b&seconds=300&seconds=2"), 300);
}

TEST(QueryNumber, refuses_what_is_no_number_in_the_range) {
  for (const auto* query : {"seconds", "seconds=", "seconds=0", "seconds=301", "seconds=-1",
                            "seconds=5x", "seconds=%35", "seconds=99999999999999999999"})
    EXPECT_EQ(seconds(query), std::nullopt) << query;
}

}  // namespace
}  // namespace beam_exporter::web
