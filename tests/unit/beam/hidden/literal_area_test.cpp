#include "beam/hidden/literal_area.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace beam_exporter::beam {
namespace {

constexpr os::Address literal_data = 0x600000, area = 0x7d0000010000, area_end = 0x7d0040000000;

class LiteralAreaTest : public testing::Test {
 protected:
  LiteralAreaTest() {
    words_[10] = area_end - area;
    words_[11] = area;
    use(11, 10);
  }
  static os::Address place(std::size_t word) { return literal_data + 8 * word; }
  // Code that asks whether a term lies there, `times`: sub start, %rdx; cmp size, %rdx.
  void use(std::size_t start, std::size_t size, int times = 8, std::size_t between = 7) {
    for (int time = 0; time < times; ++time) {
      operands_.push_back({at_, place(start)});
      operands_.push_back({at_ + between, place(size)});
      at_ += 0x1000;
    }
  }
  std::optional<LiteralArea> found() const {
    return find_literal_area({words_, literal_data}, operands_, *os::MemoryMap::parse(maps_));
  }
  // The area with two pages of constants in the middle, and other memory before it.
  std::string maps_ =
      "7cffff000000-7d0000020000 rw-p 00000000 00:00 0 \n"
      "7d0000020000-7d0000040000 ---p 00000000 00:00 0 \n"
      "7d0000040000-7d0000042000 rw-p 00000000 00:00 0 \n"
      "7d0000042000-7d0040000000 ---p 00000000 00:00 0 \n";
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(64);
  std::vector<RelativeOperand> operands_;
  std::size_t at_ = 0x100;
};

TEST_F(LiteralAreaTest, is_what_two_words_hold_that_are_used_together) {
  const auto area_found = found();
  ASSERT_TRUE(area_found);
  EXPECT_EQ(area_found->start_at, place(11));
  EXPECT_EQ(area_found->size_at, place(10));
  EXPECT_EQ(area_found->range, (os::AddressRange{area, area_end}));
}

TEST_F(LiteralAreaTest, may_have_its_size_behind_its_start) {
  words_[10] = 0;
  words_[12] = area_end - area;
  EXPECT_FALSE(found()) << "nothing uses that word";
  use(11, 12);
  ASSERT_TRUE(found());
  EXPECT_EQ(found()->size_at, place(12));
}

TEST_F(LiteralAreaTest, words_that_little_code_uses_are_others) {
  operands_.clear();
  use(11, 10, 7);
  EXPECT_FALSE(found());
  use(11, 10, 1, 65);
  EXPECT_FALSE(found()) << "too far from one another";
  use(11, 11, 1);
  EXPECT_FALSE(found()) << "the same word twice";
  use(10, 11, 1, 64);
  EXPECT_TRUE(found());
}

TEST_F(LiteralAreaTest, words_that_hold_something_else_are_others) {
  for (const std::uint64_t start :
       {std::uint64_t{0}, area + 8, area + (1 << 16), ~std::uint64_t{0}}) {
    words_[11] = start;
    EXPECT_FALSE(found()) << start;
  }
  words_[11] = area;
  for (const std::uint64_t size : {std::uint64_t{0}, area_end - area - 8, area_end - area + 4096,
                                   std::uint64_t{1} << 47, ~std::uint64_t{0} - 4095}) {
    words_[10] = size;
    EXPECT_FALSE(found()) << size;
  }
}

TEST_F(LiteralAreaTest, an_area_with_a_hole_or_a_file_is_another) {
  const auto whole = maps_;
  const auto second = whole.find("7d0000020000-");
  maps_ = whole.substr(0, second) + whole.substr(whole.find("7d0000040000-"));
  EXPECT_FALSE(found());
  maps_ = whole;
  maps_.replace(second, 48, "7d0000020000-7d0000040000 r--p 00000000 08:01 77 /lib");
  EXPECT_FALSE(found());
  maps_ = whole;
  maps_.replace(second, 30, "7d0000020000-7d0000040000 r-xp");
  EXPECT_FALSE(found()) << "code";
}

TEST_F(LiteralAreaTest, two_candidates_are_none) {
  words_[20] = 0x10000;
  words_[21] = area;
  EXPECT_TRUE(found());
  use(21, 20);
  EXPECT_FALSE(found());
}

TEST_F(LiteralAreaTest, without_words_there_is_none) {
  words_.clear();
  EXPECT_FALSE(found());
}

}  // namespace
}  // namespace beam_exporter::beam
