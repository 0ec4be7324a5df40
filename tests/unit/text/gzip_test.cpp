#include "text/gzip.h"

#include <gtest/gtest.h>

#include <random>

#include "harness/inflated.h"

namespace beam_exporter::text {
namespace {

TEST(Gzip, comes_back_as_it_was) {
  std::mt19937 random(3);
  for (const std::size_t size : {0u, 1u, 100u, 300000u}) {
    std::string noise(size, ' ');
    for (auto& c : noise) c = static_cast<char>(random());
    const auto compressed = gzipped(noise);
    ASSERT_TRUE(compressed);
    EXPECT_EQ(tests::inflated(*compressed), noise) << size;
  }
}

TEST(Gzip, shrinks_what_repeats) {
  const auto compressed = gzipped(std::string(100000, 'x'));
  ASSERT_TRUE(compressed);
  EXPECT_LT(compressed->size(), 2000u);
}

TEST(Gunzip, gives_back_what_was_compressed_within_its_bound) {
  const std::string plain(100000, 'x');
  const auto compressed = gzipped(plain);
  ASSERT_TRUE(compressed);
  EXPECT_EQ(gunzipped(*compressed, plain.size()), plain);
  EXPECT_EQ(gunzipped(*compressed, plain.size() - 1), std::nullopt);
  EXPECT_EQ(gunzipped(compressed->substr(0, compressed->size() / 2), plain.size()), std::nullopt);
  EXPECT_EQ(gunzipped("no gzip", 100), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::text
