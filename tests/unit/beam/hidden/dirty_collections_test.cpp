#include "beam/hidden/dirty_collections.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "fakes/fake_memory.h"

namespace beam_exporter::beam {
namespace {

constexpr os::Address code_begin = 0x10000, mutex = 0x20000, other_mutex = 0x20100;
constexpr os::AddressRange gc_data{0x20000, 0x21000};
constexpr std::uint32_t mutex_bytes = 40, gc_info = 0xa318;
constexpr std::size_t function_bytes = 4096;

// Machine code, one function after the other. Bytes as gcc 12 makes them of OTP 29.
struct GcCode {
  std::vector<std::uint8_t> bytes;

  void append(std::initializer_list<unsigned> more) {
    for (const unsigned byte : more) bytes.push_back(static_cast<std::uint8_t>(byte));
  }
  void append32(std::uint32_t value) {
    append({value & 0xff, value >> 8 & 0xff, value >> 16 & 0xff, value >> 24});
  }
  void append_relative(os::Address to) {
    append32(static_cast<std::uint32_t>(to - (code_begin + bytes.size() + 4)));
  }
  void skip(std::size_t nops) { bytes.resize(bytes.size() + nops, 0x90); }
  void end_function() {
    bytes.resize((bytes.size() + function_bytes) / function_bytes * function_bytes, 0x90);
  }

  // movups %xmm0, gc_info(%rsi,%rax); lea mutex, %rdi; movups %xmm0, info
  void init_gc(os::Address lock, std::uint32_t offset = gc_info, std::size_t between = 0) {
    append({0x0f, 0x11, 0x84, 0x06});
    append32(offset);
    skip(between);
    append({0x48, 0x8d, 0x3d});
    append_relative(lock);
    append({0x0f, 0x11, 0x05});
    append_relative(lock + mutex_bytes);
    end_function();
  }
  // mov gc_info+8(%rbx), %rax; ...; lea mutex, %r13; mov info+8, %rsi; add info, %r15
  void reply_gc_info(os::Address lock, std::size_t between = 0x2e2) {
    append({0x48, 0x8b, 0x83});
    append32(gc_info + 8);
    skip(between);
    append({0x4c, 0x8d, 0x2d});
    append_relative(lock);
    append({0x48, 0x8b, 0x35});
    append_relative(lock + mutex_bytes + 8);
    append({0x4c, 0x03, 0x3d});
    append_relative(lock + mutex_bytes);
    end_function();
  }
};

class DirtyCollections : public testing::Test {
 protected:
  DirtyCollections() {
    layout_.mutex.size = mutex_bytes;
    layout_.scheduler_data.collections.offset = gc_info + 8;
    layout_.scheduler_data.collections.width = 8;
    hold(mutex, 1000, 5);
    hold(other_mutex, 1000, 5);
    code_.init_gc(mutex);
    code_.reply_gc_info(mutex);
  }
  void hold(os::Address lock, std::uint64_t reclaimed, std::uint64_t collections) {
    memory_.put(lock + mutex_bytes, reclaimed);
    memory_.put(lock + mutex_bytes + 8, collections);
  }
  std::optional<os::Address> found(os::AddressRange within = gc_data) const {
    return find_dirty_collections(layout_, std::as_bytes(std::span(code_.bytes)), code_begin,
                                  within, memory_);
  }
  static constexpr os::Address counter = mutex + mutex_bytes + 8;
  Layout layout_;
  tests::FakeMemory memory_;
  GcCode code_;
};

TEST_F(DirtyCollections, are_counted_behind_the_mutex_that_two_functions_take) {
  EXPECT_EQ(found(), counter);
  code_.init_gc(other_mutex);
  EXPECT_EQ(found(), counter) << "the other mutex is taken once";
  hold(mutex, 0, 0);
  EXPECT_EQ(found(), counter) << "no dirty scheduler has collected";
}

TEST_F(DirtyCollections, one_function_proves_nothing) {
  code_.bytes.clear();
  code_.init_gc(mutex);
  EXPECT_EQ(found(), std::nullopt);
  // Twice in the same function.
  code_.bytes.resize(32);
  code_.init_gc(mutex);
  EXPECT_EQ(found(), std::nullopt);
}

TEST_F(DirtyCollections, two_candidates_are_none) {
  code_.init_gc(other_mutex);
  code_.reply_gc_info(other_mutex);
  EXPECT_EQ(found(), std::nullopt);
  memory_.forget(other_mutex + mutex_bytes, 16);
  EXPECT_EQ(found(), counter) << "the other one has no counters";
}

TEST_F(DirtyCollections, counters_that_are_impossible_are_others) {
  hold(mutex, 1, 0);
  EXPECT_EQ(found(), counter) << "read between two stores";
  hold(mutex, std::uint64_t{1} << 44, 0);
  EXPECT_EQ(found(), std::nullopt) << "more words than memory has";
  hold(mutex, 0, std::uint64_t{1} << 48);
  EXPECT_EQ(found(), std::nullopt);
  hold(mutex, std::uint64_t{1} << 46, 1);
  EXPECT_EQ(found(), std::nullopt);
  hold(mutex, ~std::uint64_t{0}, 1);
  EXPECT_EQ(found(), counter) << "a word more than before";
}

TEST_F(DirtyCollections, must_be_in_the_data) {
  EXPECT_EQ(found({mutex, counter + 8}), counter);
  EXPECT_EQ(found({mutex, counter + 7}), std::nullopt);
  EXPECT_EQ(found({mutex + 8, gc_data.end}), std::nullopt);
}

TEST_F(DirtyCollections, code_that_does_otherwise_counts_for_nothing) {
  code_.bytes.clear();
  code_.reply_gc_info(mutex);
  const auto once = code_.bytes;
  code_.init_gc(mutex, gc_info + 16);
  EXPECT_EQ(found(), std::nullopt) << "other counters of the scheduler";
  code_.bytes = once;
  code_.init_gc(mutex, gc_info, 2048);
  EXPECT_EQ(found(), std::nullopt) << "too far away from them";
  code_.bytes = once;
  code_.init_gc(mutex, gc_info, 1200);
  EXPECT_EQ(found(), counter);
}

TEST_F(DirtyCollections, are_told_of_no_release_without_their_layout) {
  layout_.mutex.size = 0;
  EXPECT_EQ(found(), std::nullopt);
  layout_.mutex.size = mutex_bytes;
  layout_.scheduler_data.collections.offset = Row::absent;
  EXPECT_EQ(found(), std::nullopt);
}

TEST_F(DirtyCollections, code_that_is_cut_anywhere_is_read_to_its_end) {
  const auto whole = code_.bytes;
  for (std::size_t length = 0; length < function_bytes; ++length) {
    code_.bytes.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(found(), std::nullopt);
  }
}

TEST_F(DirtyCollections, code_that_is_full_of_the_offset_is_forged) {
  for (int times = 0; times < 65; ++times) code_.append32(gc_info);
  EXPECT_EQ(found(), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::beam
