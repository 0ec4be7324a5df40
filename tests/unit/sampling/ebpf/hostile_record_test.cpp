#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sampling/ebpf/record_reader.h"
#include "unit/sampling/staged_vm.h"

// A record whose sizes and addresses lie: refused, or read within its bounds, never beyond them
// (the bytes lie at the end of a heap block, where AddressSanitizer watches).
namespace beam_exporter::sampling {
namespace {

using tests::StagedRecord;
using tests::StagedVm;

constexpr unsigned sample_record::*sizes[] = {
    &sample_record::process_bytes, &sample_record::native_bytes, &sample_record::guessed_bytes,
    &sample_record::top_bytes, &sample_record::bottom_bytes};

class HostileRecord : public testing::Test {
 protected:
  void SetUp() override {
    whole_.set_process(vm_);
    whole_.set_c_stack(vm_, StagedVm::in_c_code(), vm_.stop, vm_.jit_from_register());
    whole_.set_top(vm_.stop, vm_.stack);
    whole_.record.guessed_begin = vm_.stop - 64;
    whole_.guessed = {1, 2};
    whole_.record.bottom_begin = vm_.hend - 16;
    whole_.bottom = {3, 4};
    bytes_ = whole_.bytes();
  }
  bool read(const std::vector<std::byte>& bytes) {
    const std::vector<std::byte> tight(bytes);  // no spare capacity behind the end
    sample_.clear();
    return RecordReader(*vm_.vm, *vm_.native).read(tight, &vm_.normal(), sample_);
  }
  std::vector<std::byte> forged(const sample_record& record) const {
    auto bytes = bytes_;
    std::memcpy(bytes.data(), &record, sizeof record);
    return bytes;
  }

  StagedVm vm_{"27"};
  StagedRecord whole_;
  std::vector<std::byte> bytes_;
  RawSample sample_;
};

TEST_F(HostileRecord, the_honest_one_is_read) {
  ASSERT_TRUE(read(bytes_));
  EXPECT_EQ(sample_.top_words, vm_.stack);
  EXPECT_EQ(sample_.bottom_words, (tests::Words{3, 4}));
  ASSERT_TRUE(head_of(bytes_));
  EXPECT_EQ(head_of(bytes_)->thread, whole_.record.thread);
  EXPECT_FALSE(head_of(bytes_)->growth);
}

TEST_F(HostileRecord, cut_anywhere_it_is_refused) {
  for (std::size_t length = 0; length < bytes_.size(); ++length) {
    const std::vector<std::byte> cut(bytes_.begin(),
                                     bytes_.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(read(cut)) << length;
    EXPECT_EQ(head_of(cut).has_value(), length >= sizeof(sample_record));
    EXPECT_FALSE(as_perf_sample(cut).has_registers);
  }
}

TEST_F(HostileRecord, a_size_beyond_the_end_is_refused_for_every_part) {
  for (const auto size : sizes) {
    for (const unsigned lie : {whole_.record.*size + 1, unsigned(bytes_.size()), 0x80000000u,
                               0xfffffff8u, 0xffffffffu}) {
      sample_record record = whole_.record;
      record.*size = lie;
      EXPECT_FALSE(read(forged(record))) << lie;
      EXPECT_FALSE(as_perf_sample(forged(record)).has_registers);
    }
  }
}

TEST_F(HostileRecord, sizes_that_wrap_around_together_are_refused) {
  sample_record record = whole_.record;
  for (const auto size : sizes) record.*size = 0x40000000u;
  EXPECT_FALSE(read(forged(record)));
}

TEST_F(HostileRecord, sizes_that_are_no_words_lose_their_fraction) {
  sample_record record = whole_.record;
  record.bottom_bytes -= 3;
  ASSERT_TRUE(read(forged(record)));
  EXPECT_EQ(sample_.bottom_words, (tests::Words{3}));
}

TEST_F(HostileRecord, a_part_at_the_end_of_the_address_space_holds_nothing) {
  sample_record record = whole_.record;
  record.top_begin = record.guessed_begin = ~0ULL - 7;
  ASSERT_TRUE(read(forged(record)));
  EXPECT_TRUE(sample_.top_words.empty());
  EXPECT_TRUE(sample_.stack_cut || !sample_.bottom_words.empty());
  record.native_begin = ~0ULL - 7;
  record.registers[tests::Register::rsp] = ~0ULL - 7;
  EXPECT_TRUE(read(forged(record)));
}

TEST_F(HostileRecord, any_bytes_at_all_are_survived) {
  std::mt19937_64 random(1);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = bytes_;
    for (int k = 0; k < 4; ++k) {
      const std::size_t at = random() % (sizeof(sample_record) / 4);
      std::uint32_t word = 0;
      std::memcpy(&word, &bytes[at * 4], 4);
      word = random() % 2 ? static_cast<std::uint32_t>(random()) : word ^ 1u << random() % 32;
      std::memcpy(&bytes[at * 4], &word, 4);
    }
    if (!read(bytes)) continue;
    ++accepted;
    EXPECT_LE(sample_.top_words.size() * 8, bytes.size());
    EXPECT_LE(sample_.bottom_words.size() * 8, bytes.size());
    EXPECT_LE(as_perf_sample(bytes).stack.size(), bytes.size());
  }
  EXPECT_GT(accepted, 100) << "they would have proven nothing";
}

TEST_F(HostileRecord, the_perf_source_would_have_seen_what_lies_at_rsp) {
  const auto on_c_stack = as_perf_sample(bytes_);
  EXPECT_EQ(on_c_stack.stack.size(), 16u);
  sample_record record = whole_.record;
  record.registers[tests::Register::rsp] = vm_.stop;
  EXPECT_EQ(as_perf_sample(forged(record)).stack.size(), vm_.stack.size() * 8);
  record.registers[tests::Register::rsp] = vm_.stop + 8;
  EXPECT_TRUE(as_perf_sample(forged(record)).has_registers);
  EXPECT_TRUE(as_perf_sample(forged(record)).stack.empty());
}

}  // namespace
}  // namespace beam_exporter::sampling
