#include "beam/hidden/memory_mapper.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace beam_exporter::beam {
namespace {

constexpr os::Address mapper_data = 0x600000;
constexpr os::AddressRange executable{0x400000, 0x500000},
    constants{0x7d0000010000, 0x7d0040000000};
constexpr std::size_t total_offset = 240;

class MemoryMapperTest : public testing::Test {
 protected:
  MemoryMapperTest() {
    layout_.allocators.mapper.size = 280;
    layout_.allocators.mapper.super_total.offset = total_offset;
    layout_.allocators.mapper.super_total.width = 8;
    put_mapper(of_literals, constants.end, constants.size() + 0x10000);
    put_mapper(the_default, 0, 0);
    // erts_allocator_info, erts_mseg_init
    take(of_literals, 0x1000);
    take(the_default, 0x1030);
    take(the_default, 0x3000);
    take(of_literals, 0x3010);
  }
  void put(os::Address at, std::uint64_t value) { words_[(at - mapper_data) / 8] = value; }
  void put_mapper(os::Address at, os::Address end, std::uint64_t total) {
    put(at, executable.begin);
    put(at + 8, executable.begin + 16);
    put(at + 16, total == 0 ? 0 : 1);
    put(at + 24, end);
    put(at + total_offset, total);
  }
  // lea address, %rdi
  void take(os::Address address, std::size_t at) {
    code_[at] = std::byte{0x48};
    code_[at + 1] = std::byte{0x8d};
    code_[at + 2] = std::byte{0x3d};
    const auto distance = static_cast<std::uint32_t>(address - (executable.begin + at + 7));
    std::memcpy(&code_[at + 3], &distance, sizeof distance);
  }
  void forget(std::size_t at) { code_[at] = std::byte{0x90}; }
  std::optional<os::Address> found() const {
    const auto operands = relative_operands(code_, executable.begin);
    return find_default_mapper(layout_, {words_, mapper_data}, code_, operands, executable,
                               constants);
  }
  static constexpr os::Address of_literals = mapper_data + 0x100, the_default = mapper_data + 0x300,
                               another = mapper_data + 0x500;
  Layout layout_;
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(256);
  std::vector<std::byte> code_ = std::vector<std::byte>(0x8000, std::byte{0x90});
};

TEST_F(MemoryMapperTest, is_taken_beside_that_of_literals) {
  EXPECT_EQ(found(), the_default);
  put_mapper(the_default, 0x7c0000000000, 1 << 28);
  EXPECT_EQ(found(), the_default) << "+MMscs";
}

TEST_F(MemoryMapperTest, one_place_proves_nothing) {
  forget(0x3000);
  EXPECT_EQ(found(), std::nullopt);
  take(the_default, 0x1030 - 64);
  EXPECT_EQ(found(), std::nullopt) << "twice in one function";
  take(the_default, 0x3010 + 129);
  EXPECT_EQ(found(), std::nullopt) << "too far away";
  take(the_default, 0x3010 + 128);
  EXPECT_EQ(found(), the_default);
}

TEST_F(MemoryMapperTest, two_candidates_are_none) {
  put_mapper(another, 0, 0);
  take(another, 0x1040);
  EXPECT_EQ(found(), the_default);
  take(another, 0x3020);
  EXPECT_EQ(found(), std::nullopt);
  put(another + 8, executable.end);
  EXPECT_EQ(found(), the_default) << "the other one is no mapper";
}

TEST_F(MemoryMapperTest, what_holds_something_else_is_no_mapper) {
  for (const os::Address mapper : {of_literals, the_default})
    for (const std::uint64_t offset : {0, 8, 16, 20, 24}) {
      if (mapper == the_default && offset == 24) continue;  // where a super carrier would end
      const auto before = words_;
      put(mapper + offset / 8 * 8, offset == 20 ? std::uint64_t{2} << 32 | 1 : 7);
      EXPECT_EQ(found(), std::nullopt) << mapper << " " << offset;
      words_ = before;
    }
}

TEST_F(MemoryMapperTest, a_super_carrier_has_a_size) {
  put(the_default + total_offset, 4096);
  EXPECT_EQ(found(), std::nullopt);
  put_mapper(the_default, 0, 0);
  put(of_literals + total_offset, constants.size() - 4096);
  EXPECT_EQ(found(), std::nullopt) << "less than the literals have";
  put(of_literals + total_offset, ~std::uint64_t{0});
  EXPECT_EQ(found(), std::nullopt);
}

TEST_F(MemoryMapperTest, must_lie_in_the_data) {
  words_.resize((the_default - mapper_data + 280) / 8);
  EXPECT_EQ(found(), the_default);
  words_.pop_back();
  EXPECT_EQ(found(), std::nullopt);
  words_.clear();
  EXPECT_EQ(found(), std::nullopt);
}

TEST_F(MemoryMapperTest, is_told_of_no_release_without_its_layout) {
  layout_.allocators.mapper.super_total.offset = Row::absent;
  EXPECT_EQ(found(), std::nullopt);
  layout_.allocators.mapper.super_total.offset = total_offset;
  layout_.allocators.mapper.size = 16;
  EXPECT_EQ(found(), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::beam
