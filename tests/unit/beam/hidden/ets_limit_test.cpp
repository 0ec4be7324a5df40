#include "beam/hidden/ets_limit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "fakes/fake_memory.h"

namespace beam_exporter::beam {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr os::Address begin = 0x1000, requested = 0x2000, made = 0x2010;

// As gcc 12 makes init_db of OTP 29: mov requested, %eax; mov $8192, %edx; cmp %edx, %eax;
// cmovl %edx, %eax; lea -1(%rax), %edi; mov %eax, made.
const Bytes init_db = {0x8b, 0x05, 0xfa, 0x0f, 0,    0,    0xba, 0x00, 0x20, 0,    0, 0x39, 0xd0,
                       0x0f, 0x4c, 0xc2, 0x8d, 0x78, 0xff, 0x89, 0x05, 0xf7, 0x0f, 0, 0};

class EtsLimit : public testing::Test {
 protected:
  void hold(std::int32_t wanted, std::uint32_t limit) {
    memory_.put(requested, wanted);
    memory_.put(made, limit);
  }
  std::optional<os::Address> found(const Bytes& code) {
    return find_requested_ets_limit(std::as_bytes(std::span(code)), begin, memory_);
  }
  tests::FakeMemory memory_;
};

TEST_F(EtsLimit, is_what_init_db_reads) {
  hold(0, 8192);
  EXPECT_EQ(found(init_db), requested);
  hold(8000, 8192);
  EXPECT_EQ(found(init_db), requested);
  hold(100'000, 100'000);
  EXPECT_EQ(found(init_db), requested);
}

TEST_F(EtsLimit, variables_that_do_not_hold_what_it_makes_are_others) {
  EXPECT_EQ(found(init_db), std::nullopt) << "unreadable";
  hold(100'000, 8192);
  EXPECT_EQ(found(init_db), std::nullopt);
  hold(0, 8191);
  EXPECT_EQ(found(init_db), std::nullopt);
  hold(-1, 8192);
  EXPECT_EQ(found(init_db), std::nullopt);
}

TEST_F(EtsLimit, two_candidates_are_none) {
  hold(0, 8192);
  Bytes twice = init_db;
  twice.resize(0x100, 0x90);
  twice.insert(twice.end(), init_db.begin(), init_db.end());
  memory_.put(requested + 0x100, std::int32_t{5});
  memory_.put(made + 0x100, std::uint32_t{1});
  EXPECT_EQ(found(twice), requested) << "the other one does not hold what the code makes";
  memory_.put(made + 0x100, std::uint32_t{8192});
  EXPECT_EQ(found(twice), std::nullopt);
}

TEST_F(EtsLimit, code_that_is_cut_anywhere_is_read_to_its_end) {
  hold(0, 8192);
  for (std::size_t length = 0; length < init_db.size(); ++length)
    EXPECT_EQ(found({init_db.begin(), init_db.begin() + static_cast<std::ptrdiff_t>(length)}),
              std::nullopt);
}

TEST_F(EtsLimit, other_instructions_count_for_nothing) {
  hold(0, 8192);
  Bytes code = init_db;
  code[0] = 0x8d;
  EXPECT_EQ(found(code), std::nullopt);
  code = init_db;
  code[7] = 0x01;
  EXPECT_EQ(found(code), std::nullopt) << "another constant";
}

}  // namespace
}  // namespace beam_exporter::beam
