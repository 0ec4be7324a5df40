#include "web/gzip.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/web/inflated.h"

namespace beam_exporter::web {
namespace {

TEST(Gzip, comes_back_as_it_was) {
  std::mt19937 random(3);
  for (const std::size_t size : {0u, 1u, 100u, 300000u}) {
    std::string noise(size, ' ');
    for (auto& c : noise) c = static_cast<char>(random());
    const auto compressed = gzipped(noise);
    ASSERT_TRUE(compressed);
    EXPECT_EQ(inflated(*compressed), noise) << size;
  }
}

TEST(Gzip, shrinks_what_repeats) {
  const auto compressed = gzipped(std::string(100000, 'x'));
  ASSERT_TRUE(compressed);
  EXPECT_LT(compressed->size(), 2000u);
}

TEST(GzipCache, compresses_a_text_once_and_a_new_one_anew) {
  GzipCache cache;
  const auto one = std::make_shared<const std::string>("one");
  const auto two = std::make_shared<const std::string>("two");
  const auto first = cache.get(one);
  EXPECT_EQ(cache.get(one), first);
  EXPECT_EQ(inflated(*first), "one");
  EXPECT_EQ(inflated(*cache.get(two)), "two");
  EXPECT_EQ(inflated(*cache.get(one)), "one");
}

}  // namespace
}  // namespace beam_exporter::web
