#include "beam/code/counted_calls.h"

#include <gtest/gtest.h>

namespace beam_exporter::beam {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Register = os::UserRegisters;

// The code stands at 0x1000, and calls 0x1100 first.
std::vector<CountedCall> calls_of(const Bytes& behind) {
  Bytes code = {0xe8, 0xfb, 0, 0, 0};
  code.insert(code.end(), behind.begin(), behind.end());
  code.resize(64, 0x90);
  return counted_calls(std::as_bytes(std::span(code)), 0x1000);
}

std::vector<CountedCall> counted(Register::Index base, std::int32_t counter) {
  return {{0x1100, 0x1005, base, counter}};
}

TEST(CountedCalls, one_is_added_in_a_struct_at_a_preserved_register) {
  EXPECT_EQ(calls_of({0x48, 0x83, 0x83, 0x10, 4, 0, 0, 1}), counted(Register::rbx, 0x410));
  EXPECT_EQ(calls_of({0x49, 0x83, 0x87, 0x28, 4, 0, 0, 1}), counted(Register::r15, 0x428));
  EXPECT_EQ(calls_of({0x49, 0x83, 0x84, 0x24, 0x28, 4, 0, 0, 1}), counted(Register::r12, 0x428));
  EXPECT_EQ(calls_of({0x48, 0xff, 0x85, 0x28, 4, 0, 0}), counted(Register::rbp, 0x428));
}

TEST(CountedCalls, moves_and_a_jump_may_stand_between) {
  const Bytes count = {0x48, 0x83, 0x83, 0x10, 4, 0, 0, 1};
  Bytes moved = {0x48, 0x89, 0xc2, 0x48, 0x8b, 0x04, 0x24, 0x48, 0x89, 0x45, 0x00};
  moved.insert(moved.end(), count.begin(), count.end());
  EXPECT_EQ(calls_of(moved), counted(Register::rbx, 0x410));
  // mov %rax, %rsi; jmp over what counts something else
  Bytes jumped = {0x48, 0x89, 0xc6, 0xeb, 8, 0x49, 0x83, 0x87, 0xc8, 2, 0, 0, 1};
  jumped.insert(jumped.end(), count.begin(), count.end());
  EXPECT_EQ(calls_of(jumped), counted(Register::rbx, 0x410));
  Bytes far_jump = {0xe9, 3, 0, 0, 0, 0x90, 0x90, 0x90};
  far_jump.insert(far_jump.end(), count.begin(), count.end());
  EXPECT_EQ(calls_of(far_jump), counted(Register::rbx, 0x410));
}

TEST(CountedCalls, what_may_be_something_else_is_none) {
  EXPECT_TRUE(calls_of({0x48, 0x83, 0x83, 0x10, 4, 0, 0, 2}).empty()) << "adds two";
  EXPECT_TRUE(calls_of({0x48, 0x83, 0x80, 0x10, 4, 0, 0, 1}).empty()) << "rax is the result";
  EXPECT_TRUE(calls_of({0x48, 0x83, 0x84, 0x24, 0x28, 4, 0, 0, 1}).empty()) << "on the stack";
  EXPECT_TRUE(calls_of({0x48, 0x85, 0xc0, 0x48, 0x83, 0x83, 0x10, 4, 0, 0, 1}).empty())
      << "test %rax, %rax: not always";
  EXPECT_TRUE(calls_of({0xeb, 0xfe}).empty()) << "a loop";
  EXPECT_TRUE(calls_of({0xe9, 0, 0, 0, 0x80}).empty()) << "out of the code";
}

TEST(CountedCalls, code_may_be_cut_anywhere) {
  const Bytes code = {0xe8, 0xfb, 0, 0, 0, 0x49, 0x83, 0x84, 0x24, 0x28, 4, 0, 0, 1};
  for (std::size_t size = 0; size < code.size(); ++size)
    EXPECT_TRUE(counted_calls(std::as_bytes(std::span(code).first(size)), 0x1000).empty());
  EXPECT_EQ(counted_calls(std::as_bytes(std::span(code)), 0x1000).size(), 1U);
}

TEST(CountedCalls, forged_code_does_not_take_all_memory) {
  Bytes code;
  for (int k = 0; k < 10000; ++k)
    code.insert(code.end(), {0xe8, 0, 0, 0, 0, 0x48, 0xff, 0x85, 0x28, 4, 0, 0, 0x90, 0x90});
  EXPECT_EQ(counted_calls(std::as_bytes(std::span(code)), 0x1000).size(), 4096U);
}

}  // namespace
}  // namespace beam_exporter::beam
