#include "beam/code/interpreter_frame.h"

#include <gtest/gtest.h>

#include <vector>

#include "fakes/fake_vm.h"

namespace beam_exporter::beam {
namespace {

using Code = std::vector<std::uint8_t>;
using Register = os::UserRegisters;

// Code as clang 14 makes it of OTP 25 and 27.
class InterpreterFrameTest : public ::testing::Test {
 protected:
  std::optional<Interpreter::Places> told_by(const Code& code) const {
    return interpreter_frame(layout, std::as_bytes(std::span(code)));
  }
  static void add(Code& code, int times, const Code& instruction) {
    for (; times > 0; --times) code.insert(code.end(), instruction.begin(), instruction.end());
  }
  static Code joined(const Code& first, const Code& second) {
    Code both = first;
    both.insert(both.end(), second.begin(), second.end());
    return both;
  }

  const Layout layout = tests::shipped_layout("25-emu");
  const std::uint8_t stop = static_cast<std::uint8_t>(layout.process.stop.offset);
  const Code load_e = {0x48, 0x8b, 0x4c, 0x24, 0x08},           // mov 8(%rsp), %rcx
      load_other = {0x48, 0x8b, 0x4c, 0x24, 0x48},              // mov 72(%rsp), %rcx
      copy = {0x48, 0x89, 0xc8},                                // mov %rcx, %rax
      store_rcx = {0x48, 0x89, 0x4b, stop},                     // mov %rcx, stop(%rbx)
      store_rax = {0x49, 0x89, 0x47, stop},                     // mov %rax, stop(%r15)
      operand_by_r12 = {0x49, 0x8b, 0x44, 0x24, 0x08},          // mov 8(%r12), %rax
      operand_by_r14 = {0x49, 0x8b, 0x5e, 0x10},                // mov 16(%r14), %rbx
      load_i = {0x48, 0x8b, 0x04, 0x24},                        // mov (%rsp), %rax
      operand_by_rax = {0x48, 0x8b, 0x58, 0x10},                // mov 16(%rax), %rbx
      load_i_far = {0x48, 0x8b, 0x85, 0x60, 0xff, 0xff, 0xff};  // mov -160(%rbp), %rax
};

TEST_F(InterpreterFrameTest, a_word_of_the_frame_and_a_register) {
  Code code;
  add(code, 20, joined(load_e, store_rcx)), add(code, 10, joined(joined(load_e, copy), store_rax));
  add(code, 5, joined(load_other, store_rcx)), add(code, 80, {0x90});
  add(code, 40, store_rcx);
  add(code, 400, operand_by_r12), add(code, 90, operand_by_r14);
  EXPECT_EQ(told_by(code), (Interpreter::Places{Register::r12, {Register::rsp, 8}, false}));
}

TEST_F(InterpreterFrameTest, two_words_of_the_frame) {
  Code code;
  add(code, 30, joined(load_e, store_rcx)), add(code, 200, joined(load_i, operand_by_rax));
  EXPECT_EQ(told_by(code), (Interpreter::Places{{Register::rsp, 0}, {Register::rsp, 8}, false}));
  Code unoptimized;
  add(unoptimized, 30, joined(load_e, store_rcx));
  add(unoptimized, 200, joined(load_i_far, operand_by_rax));
  EXPECT_EQ(told_by(unoptimized),
            (Interpreter::Places{{Register::rbp, -160}, {Register::rsp, 8}, false}));
}

// gcc -O0 obeys the source, and copies each variable before it is used.
TEST_F(InterpreterFrameTest, registers_that_are_copied_first) {
  const Code copy_r13 = {0x4c, 0x89, 0xe9},  // mov %r13, %rcx
      copy_rbx = {0x48, 0x89, 0xd8};         // mov %rbx, %rax
  Code code;
  add(code, 30, joined(copy_r13, store_rcx)), add(code, 200, joined(copy_rbx, operand_by_rax));
  EXPECT_EQ(told_by(code), (Interpreter::Places{Register::rbx, Register::r13, false}));
}

TEST_F(InterpreterFrameTest, code_that_does_not_agree_with_itself_proves_nothing) {
  Code code;
  add(code, 30, joined(load_e, store_rcx));
  EXPECT_FALSE(told_by(code)) << "no instruction pointer";
  add(code, 100, operand_by_r12), add(code, 100, operand_by_r14);
  EXPECT_FALSE(told_by(code)) << "two of them";
  add(code, 200, operand_by_r12);
  ASSERT_TRUE(told_by(code));
  add(code, 30, joined(load_other, store_rcx));
  EXPECT_FALSE(told_by(code)) << "two stack pointers";
  EXPECT_FALSE(told_by({}));
  EXPECT_FALSE(told_by(Code(10'000, 0x90)));
  EXPECT_FALSE(told_by(Code(10'000, 0x48))) << "the begin of an instruction only";
}

TEST_F(InterpreterFrameTest, a_value_is_forgotten_when_its_register_changes) {
  const Code other = {0x48, 0x8d, 0x4b, 0x58};  // lea 88(%rbx), %rcx
  Code code;
  add(code, 200, operand_by_r12);
  Code stores = code;
  add(stores, 30, joined(joined(load_e, other), store_rcx));
  EXPECT_FALSE(told_by(stores));
  add(code, 30, joined(joined(load_e, Code(80, 0x90)), store_rcx));
  EXPECT_FALSE(told_by(code)) << "too long ago";
}

}  // namespace
}  // namespace beam_exporter::beam
