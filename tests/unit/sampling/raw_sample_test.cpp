#include "sampling/raw_sample.h"

#include <gtest/gtest.h>

namespace beam_exporter::sampling {
namespace {

TEST(SampleBatch, hands_out_blank_samples_again_and_keeps_their_room) {
  SampleBatch batch;
  for (int k = 0; k < 3; ++k) {
    RawSample& sample = batch.next_sample();
    sample.role = {beam::ThreadKind::dirty_io, 7};
    sample.time = sample.cpu_time = sample.read_delay = std::chrono::nanoseconds(5);
    sample.native = {1};
    sample.native_end = {};
    sample.scheduler.emplace();
    sample.process.emplace();
    sample.process_unreadable = sample.stack_cut = true;
    sample.top = {1, 2, 3};
    sample.top_words.assign(1000, 4);
    sample.bottom_words = {5};
    sample.top_begin = sample.bottom_begin = 6;
  }
  ASSERT_EQ(batch.samples().size(), 3u);
  const auto* room = batch.samples()[0].top_words.data();

  batch.clear();
  EXPECT_TRUE(batch.samples().empty());
  const RawSample& blank = batch.next_sample();
  EXPECT_EQ(batch.samples().size(), 1u);
  EXPECT_EQ(blank.role, beam::ThreadRole{});
  EXPECT_EQ(blank.time.count() + blank.cpu_time.count() + blank.read_delay.count(), 0);
  EXPECT_TRUE(blank.native.empty());
  EXPECT_EQ(blank.native_end, RawSample{}.native_end);
  EXPECT_FALSE(blank.scheduler || blank.process || blank.process_unreadable || blank.stack_cut);
  EXPECT_FALSE(blank.top.instruction || blank.top.return_to);
  EXPECT_EQ(blank.top.frame_pointer, 0u);
  EXPECT_TRUE(blank.top_words.empty() && blank.bottom_words.empty());
  EXPECT_EQ(blank.top_begin + blank.bottom_begin, 0u);
  EXPECT_EQ(blank.top_words.data(), room);
}

TEST(SampleBatch, growth_has_a_list_of_its_own) {
  SampleBatch batch;
  EXPECT_TRUE(batch.empty());
  GrowthEvent& growth = batch.next_growth();
  growth.allocator = growth.bytes = 7;
  growth.top_words.assign(1000, 4);
  EXPECT_FALSE(batch.empty());
  EXPECT_TRUE(batch.samples().empty());
  ASSERT_EQ(batch.growth().size(), 1u);
  batch.next_growth();
  batch.drop_last_growth();
  ASSERT_EQ(batch.growth().size(), 1u);
  batch.clear();
  EXPECT_TRUE(batch.empty());
  const GrowthEvent& blank = batch.next_growth();
  EXPECT_EQ(blank.allocator + blank.bytes, 0u);
  EXPECT_TRUE(blank.top_words.empty());
}

TEST(SampleBatch, grows_while_older_samples_stay_whole) {
  SampleBatch batch;
  for (std::uint64_t k = 0; k < 1000; ++k) batch.next_sample().top_words = {k};
  for (std::uint64_t k = 0; k < 1000; ++k)
    ASSERT_EQ(batch.samples()[k].top_words, std::vector<std::uint64_t>{k});
}

}  // namespace
}  // namespace beam_exporter::sampling
