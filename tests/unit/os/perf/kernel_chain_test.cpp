#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <span>

#include "os/perf/perf_ring.h"

namespace beam_exporter::os {
namespace {

// The body of a sample as perf_event_open(2) describes it: ids, time, PERF_SAMPLE_READ,
// PERF_SAMPLE_CALLCHAIN; then neither registers nor a stack.
PerfSample decoded_chain(std::uint64_t count, const std::vector<std::uint64_t>& chain, bool& good) {
  std::vector<std::uint64_t> words = {0x0000000700000004, 123, 5, 77000, count};
  words.insert(words.end(), chain.begin(), chain.end());
  words.push_back(PERF_SAMPLE_REGS_ABI_NONE);
  words.push_back(0);
  PerfSample sample;
  good = decode_sample(std::as_bytes(std::span(words)), KernelStacks::taken, sample);
  return sample;
}

constexpr auto mark = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);

TEST(DecodeKernelChain, takes_the_addresses_without_the_marks) {
  bool good = false;
  const auto sample = decoded_chain(3, {mark, 0xffffffff81000010, 0xffffffff81000020}, good);
  EXPECT_TRUE(good);
  EXPECT_EQ(sample.tid, 7);
  EXPECT_EQ(sample.kernel, (std::vector<Address>{0xffffffff81000010, 0xffffffff81000020}));
}

TEST(DecodeKernelChain, user_code_has_none) {
  bool good = false;
  EXPECT_TRUE(decoded_chain(0, {}, good).kernel.empty());
  EXPECT_TRUE(good);
}

TEST(DecodeKernelChain, refuses_a_count_beyond_the_record) {
  for (const std::uint64_t lie : {std::uint64_t{6}, ~std::uint64_t{0}}) {
    bool good = true;
    decoded_chain(lie, {mark}, good);
    EXPECT_FALSE(good) << lie;
  }
}

}  // namespace
}  // namespace beam_exporter::os
