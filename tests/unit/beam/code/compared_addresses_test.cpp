#include "beam/code/compared_addresses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace beam_exporter::beam {
namespace {

using Bytes = std::vector<std::uint8_t>;

// As gcc makes it. The code stands at 0x1000; what is compared are the functions 0x1100 and 0x1200.
bool compares(Bytes code) {
  static constexpr std::array<os::Address, 2> functions = {0x1100, 0x1200};
  return !compared_addresses(std::as_bytes(std::span(code)), 0x1000, functions).empty();
}

Bytes after(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Bytes lea_rdx = {0x48, 0x8d, 0x15, 0xf9, 0x00, 0, 0};  // lea 0x1100(%rip), %rdx
const Bytes lea_r14 = {0x4c, 0x8d, 0x35, 0xf9, 0x01, 0, 0};  // lea 0x1200(%rip), %r14

TEST(ComparedAddresses, an_address_is_taken_and_compared_at_once) {
  EXPECT_TRUE(compares(after(lea_rdx, {0x48, 0x39, 0xd0})));        // cmp %rdx, %rax
  EXPECT_TRUE(compares(after(lea_rdx, {0x49, 0x39, 0xd0})));        // cmp %rdx, %r8
  EXPECT_TRUE(compares(after(lea_rdx, {0x48, 0x39, 0xc2})));        // cmp %rax, %rdx
  EXPECT_TRUE(compares(after(lea_r14, {0x4c, 0x3b, 0x77, 0x08})));  // cmp 8(%rdi), %r14
}

TEST(ComparedAddresses, each_is_told_once) {
  static constexpr std::array<os::Address, 2> functions = {0x1200, 0x1100};
  Bytes code = after(lea_rdx, {0x48, 0x39, 0xd0});
  code = after(code, {0x48, 0x8d, 0x15, 0xef, 0x00, 0, 0, 0x48, 0x39, 0xd0});
  EXPECT_EQ(compared_addresses(std::as_bytes(std::span(code)), 0x1000, functions),
            std::vector<os::Address>{0x1100});
}

TEST(ComparedAddresses, other_instructions_may_stand_between) {
  const Bytes between = {0x48, 0x25, 0x00, 0xc0, 0xff, 0xff, 0x48, 0x89, 0x44, 0x24, 0x28};
  EXPECT_TRUE(compares(after(after(lea_rdx, between), {0x49, 0x39, 0xd0})));
  const Bytes far(32, 0x90);
  EXPECT_FALSE(compares(after(after(lea_rdx, far), {0x49, 0x39, 0xd0})));
}

TEST(ComparedAddresses, an_address_that_is_stored_is_not_compared) {
  EXPECT_FALSE(compares(after(lea_rdx, {0x48, 0x89, 0x50, 0x08})));  // mov %rdx, 8(%rax)
  EXPECT_FALSE(compares(after(lea_rdx, {0x48, 0x39, 0xc8})));        // cmp %rcx, %rax
  EXPECT_FALSE(compares(after(lea_rdx, {0x48, 0x3b, 0x42, 0x08})));  // cmp 8(%rdx), %rax
  EXPECT_FALSE(compares(after(lea_rdx, {0x4c, 0x39, 0xf0})));        // cmp %r14, %rax
  EXPECT_FALSE(compares(after(lea_r14, {0x48, 0x39, 0xf0})));        // cmp %rsi, %rax
}

TEST(ComparedAddresses, addresses_of_other_functions_count_for_nothing) {
  EXPECT_FALSE(compares(after({0x48, 0x8d, 0x15, 0xf8, 0x00, 0, 0}, {0x48, 0x39, 0xd0})));
  EXPECT_FALSE(compares({0x48, 0x3d, 0x10, 0x11, 0, 0}));
}

TEST(ComparedAddresses, in_code_at_a_fixed_place_the_address_is_a_constant) {
  EXPECT_TRUE(compares({0x48, 0x3d, 0x00, 0x11, 0, 0}));                     // cmp $0x1100, %rax
  EXPECT_TRUE(compares({0x49, 0x81, 0xff, 0x00, 0x12, 0, 0}));               // cmp $0x1200, %r15
  EXPECT_TRUE(compares({0x48, 0x81, 0x7f, 0x08, 0x00, 0x11, 0, 0}));         // cmpq .., 8(%rdi)
  EXPECT_TRUE(compares({0x48, 0x81, 0xbf, 8, 3, 0, 0, 0x00, 0x11, 0, 0}));   // .., 0x308(%rdi)
  EXPECT_FALSE(compares({0x48, 0xc7, 0x87, 8, 3, 0, 0, 0x00, 0x11, 0, 0}));  // movq
  EXPECT_FALSE(compares({0x48, 0x81, 0xc7, 0x00, 0x11, 0, 0}));              // add
}

TEST(ComparedAddresses, code_that_is_cut_anywhere_is_read_to_its_end) {
  const Bytes whole = after(lea_rdx, {0x48, 0x39, 0xd0});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(compares({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}));
  EXPECT_FALSE(compares({0x00, 0x11, 0, 0}));
}

}  // namespace
}  // namespace beam_exporter::beam
