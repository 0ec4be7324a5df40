#include "beam/code/interpreter.h"

#include <gtest/gtest.h>

#include <vector>

#include "fakes/fake_vm.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using Code = std::vector<std::uint8_t>;
using Register = os::UserRegisters;

class InterpreterTest : public ::testing::Test {
 protected:
  std::optional<Interpreter::Places> told_by(const Code& code) const {
    return interpreter_registers(layout, std::as_bytes(std::span(code)));
  }
  static void add(Code& code, int times, const Code& instruction) {
    for (; times > 0; --times) code.insert(code.end(), instruction.begin(), instruction.end());
  }

  const Layout layout = tests::shipped_layout("25-emu");
  const std::uint8_t stop = static_cast<std::uint8_t>(layout.process.stop.offset);
  const Code load_r13 = {0x4d, 0x8b, 0x6c, 0x24, stop},  // mov stop(%r12), %r13
      store_r13 = {0x4d, 0x89, 0x6c, 0x24, stop},        // mov %r13, stop(%r12)
      load_r14_by_rbp = {0x4c, 0x8b, 0x75, stop},        // mov stop(%rbp), %r14
      load_rax = {0x49, 0x8b, 0x44, 0x24, stop},         // mov stop(%r12), %rax
      advance_rbx = {0x48, 0x8d, 0x5b, 0x10},            // lea 16(%rbx), %rbx
      add_to_rbx = {0x48, 0x83, 0xc3, 0x08},             // add $8, %rbx
      advance_rbp = {0x48, 0x83, 0xc5, 0x18};            // add $24, %rbp
};

TEST_F(InterpreterTest, the_registers_are_those_that_its_code_uses_most) {
  Code code;
  add(code, 20, load_r13), add(code, 20, store_r13), add(code, 50, load_rax);
  add(code, 5, load_r14_by_rbp);
  add(code, 30, advance_rbx), add(code, 30, add_to_rbx), add(code, 10, advance_rbp);
  EXPECT_EQ(told_by(code), (Interpreter::Places{Register::rbx, Register::r13}))
      << "rax is not preserved by C functions";
  Code other;
  add(other, 40, load_r14_by_rbp), add(other, 40, advance_rbp);
  EXPECT_EQ(told_by(other), (Interpreter::Places{Register::rbp, Register::r14}));
}

TEST_F(InterpreterTest, code_that_does_not_agree_with_itself_proves_nothing) {
  Code code;
  add(code, 40, load_r13);
  EXPECT_FALSE(told_by(code)) << "no instruction pointer";
  add(code, 20, advance_rbx), add(code, 20, advance_rbp);
  EXPECT_FALSE(told_by(code)) << "two of them";
  add(code, 100, advance_rbx);
  ASSERT_TRUE(told_by(code));
  add(code, 40, load_r14_by_rbp);
  EXPECT_FALSE(told_by(code)) << "two stack pointers";
  EXPECT_FALSE(told_by({}));
  EXPECT_FALSE(told_by(Code(10'000, 0x90)));
  Code few;
  add(few, 8, load_r13), add(few, 8, advance_rbx);
  EXPECT_FALSE(told_by(few));
}

TEST_F(InterpreterTest, other_members_and_constants_do_not_count) {
  Code code;
  add(code, 40, {0x4d, 0x8b, 0x6c, 0x24, static_cast<std::uint8_t>(stop + 8)});
  add(code, 40, advance_rbx);
  EXPECT_FALSE(told_by(code)) << "another member of the process";
  code.clear();
  add(code, 40, load_r13), add(code, 40, {0x48, 0x83, 0xc3, 0x01});
  EXPECT_FALSE(told_by(code)) << "not in whole words";
  code.clear();
  add(code, 40, load_r13), add(code, 40, {0x48, 0x83, 0xeb, 0x08});
  EXPECT_FALSE(told_by(code)) << "a subtraction";
  code.clear();
  add(code, 40, load_r13), add(code, 40, advance_rbx);
  EXPECT_TRUE(told_by(code));
  Layout far = layout;
  far.process.stop.offset = 200;
  EXPECT_FALSE(interpreter_registers(far, std::as_bytes(std::span(code))));
}

using InterpretedVm = tests::EachRelease;
INSTANTIATE_TEST_SUITE_P(Releases, InterpretedVm, tests::each_interpreter, tests::release_name);

TEST_P(InterpretedVm, is_attached_to_with_the_interpreter_found) {
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  ASSERT_NE((*attached)->interpreter(), nullptr);
  EXPECT_TRUE((*attached)->runs_erlang(tests::FakeVm::interpreter + 5));
  EXPECT_FALSE((*attached)->runs_erlang(tests::FakeVm::interpreter - 1));
  EXPECT_FALSE((*attached)->runs_erlang(vm.erlang.begin)) << "code that is data";
}

TEST_P(InterpretedVm, is_refused_when_the_interpreter_does_not_tell_its_registers) {
  vm.memory.put_bytes(tests::FakeVm::interpreter, std::vector<std::byte>(1024, std::byte{0x90}));
  const auto attached = vm.attach();
  ASSERT_FALSE(attached);
  EXPECT_EQ(attached.error().kind, os::ErrorKind::unsupported);
  EXPECT_NE(attached.error().text.find("process_main"), std::string::npos);
  vm.memory.forget(tests::FakeVm::interpreter, 1024);
  EXPECT_EQ(vm.attach().error().kind, os::ErrorKind::unreadable);
}

TEST_P(InterpretedVm, what_is_forced_counts_and_must_be_proven) {
  vm.forced.stack = InterpreterPlace(Register::rsp, 16);
  const auto partly = vm.attach();
  ASSERT_TRUE(partly) << partly.error().text;
  EXPECT_EQ((*partly)->interpreter()->places,
            (Interpreter::Places{Register::rbx, {Register::rsp, 16}, false}));
  vm.memory.put_bytes(tests::FakeVm::interpreter, std::vector<std::byte>(1024, std::byte{0x90}));
  EXPECT_NE(vm.attach().error().text.find("--force-register"), std::string::npos);
  vm.forced.instruction = InterpreterPlace(Register::r12);
  const auto wholly = vm.attach();
  ASSERT_TRUE(wholly) << wholly.error().text;
  EXPECT_EQ((*wholly)->interpreter()->places.instruction, InterpreterPlace(Register::r12));
}

TEST_P(InterpretedVm, an_instruction_begins_with_an_address_in_the_interpreter) {
  const Interpreter interpreter{{0x5000, 0x6000}};
  const os::Address at = vm.erlang.begin;
  vm.memory.put(at, std::uint64_t{0x5008});
  vm.memory.put(at + 8, std::uint64_t{0x12'0000'5008});  // operands in the upper half
  vm.memory.put(at + 16, std::uint64_t{0x6000});
  EXPECT_TRUE(interpreter.is_instruction(vm.memory, at));
  EXPECT_TRUE(interpreter.is_instruction(vm.memory, at + 8));
  EXPECT_FALSE(interpreter.is_instruction(vm.memory, at + 16));
  EXPECT_FALSE(interpreter.is_instruction(vm.memory, at + 4)) << "not aligned";
  EXPECT_FALSE(interpreter.is_instruction(vm.memory, 8)) << "cannot be read";
  os::UserRegisters registers;
  registers.value[Register::rcx] = at;
  registers.value[Register::r15] = at + 8;
  EXPECT_EQ(interpreter.instruction_in(vm.memory, registers, true), at);
  EXPECT_EQ(interpreter.instruction_in(vm.memory, registers, false), at + 8);
}

}  // namespace
}  // namespace beam_exporter::beam
