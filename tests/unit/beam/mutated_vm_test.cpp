// Recorded VMs with some words of their memory changed, so that a reader meets what no VM of its
// layout has: it must end, within its bounds, and tell nothing that is true of no VM.
#include <gtest/gtest.h>

#include <set>

#include "fakes/mutation.h"
#include "fakes/recording.h"
#include "fakes/whole_look.h"
#include "harness/each_release.h"

namespace beam_exporter::tests {
namespace {

constexpr std::uint64_t seeds = 50;
// A look at these VMs takes 44,000 to 61,000 reads. Where a list has become a ring, its reader goes
// on to its own bound: the largest is that of links (beam/held/link_sizes.cpp).
constexpr std::uint64_t most_reads = 1 << 22;
constexpr std::uint64_t most_bytes_read = 256 << 20;
// The addresses of 2^20 functions of one module (beam/code/code_module.cpp).
constexpr std::uint64_t largest_read = 16 << 20;

class MutatedVmTest : public ::testing::TestWithParam<std::string> {
 protected:
  Recording recording{"otp-" + GetParam()};
  ReadLog log{recording.memory};
  const WholeLook good = look_at_all(log, recording.description());
};
INSTANTIATE_TEST_SUITE_P(Releases, MutatedVmTest, each_recording, release_name);

TEST_P(MutatedVmTest, every_look_ends_and_tells_nothing_absurd) {
  ASSERT_TRUE(good.attached);
  ASSERT_TRUE(good.absurd.empty()) << good.absurd.front();
  std::uint64_t changed = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Mutation mutation(recording.memory, log, seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + mutation.text());
    ReadLog memory(recording.memory, most_reads);
    const auto look = look_at_all(memory, recording.description());
    EXPECT_LT(memory.reads(), most_reads);
    EXPECT_LT(memory.bytes(), most_bytes_read);
    EXPECT_LE(memory.largest(), largest_read);
    EXPECT_TRUE(look.absurd.empty()) << look.absurd.front();
    changed += look.told != good.told;
  }
  // Changes that nobody reads would prove nothing. Three of four are noticed.
  EXPECT_GT(changed, seeds / 2);
}

TEST_P(MutatedVmTest, a_seed_makes_the_same_change_each_time_and_leaves_none) {
  const auto text_of = [&](std::uint64_t seed) {
    return Mutation(recording.memory, log, seed).text();
  };
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto text = text_of(seed);
    EXPECT_EQ(text_of(seed), text);
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), seeds * 9 / 10);
  ReadLog again(recording.memory);
  EXPECT_EQ(look_at_all(again, recording.description()).told, good.told);
}

}  // namespace
}  // namespace beam_exporter::tests
