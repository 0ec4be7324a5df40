#include "web/pages/gzip_cache.h"

#include <gtest/gtest.h>

#include "harness/inflated.h"

namespace beam_exporter::web {
namespace {

TEST(GzipCache, compresses_a_text_once_and_a_new_one_anew) {
  GzipCache cache;
  const auto one = std::make_shared<const std::string>("one");
  const auto two = std::make_shared<const std::string>("two");
  const auto first = cache.get(one);
  EXPECT_EQ(cache.get(one), first);
  EXPECT_EQ(tests::inflated(*first), "one");
  EXPECT_EQ(tests::inflated(*cache.get(two)), "two");
  EXPECT_EQ(tests::inflated(*cache.get(one)), "one");
}

}  // namespace
}  // namespace beam_exporter::web
