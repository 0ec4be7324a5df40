#include "sampling/interpreter_reader.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"
#include "staged_vm.h"

namespace beam_exporter::sampling {
namespace {

using tests::Register;
using tests::StagedVm;
using tests::Words;

class InterpreterReaderTest : public testing::TestWithParam<std::string> {
 protected:
  // In C code that the interpreter has called at `i` with the stack pointer `e`.
  std::optional<os::Address> called(os::Address i, os::Address e,
                                    os::Address function = StagedVm::in_c_code(),
                                    elf::KnownRegisters known = elf::KnownRegisters::all) {
    sample_.clear();
    const auto registers = StagedVm::interpreting(vm_.c_registers(function), i, e);
    const Words stack = StagedVm::c_stack(7, tests::FakeVm::interpreter + 100);
    const elf::StackBytes copied{registers[Register::rsp], std::as_bytes(std::span(stack))};
    const auto caller = vm_.native->unwind(registers, copied, sample_);
    sample_.role = vm_.normal().role;
    sample_.process = beam::read_process(vm_.memory.layout, vm_.memory.memory, vm_.process);
    sample_.scheduler = SchedulerFields{.current_nif = in_nif_ ? os::Address{1} : 0};
    return vm_.native->find_erlang_stack(sample_, caller, copied, vm_.normal(), known);
  }

  bool in_nif_ = false;
  StagedVm vm_{GetParam()};
  const beam::ProcessLayout& at_ = vm_.memory.layout.process;
  const os::Address i_ = vm_.memory.erlang.begin + 0x80;
  ObservedThread sample_;
};
INSTANTIATE_TEST_SUITE_P(Releases, InterpreterReaderTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(InterpreterReaderTest, its_registers_tell_the_instruction_and_the_stack) {
  EXPECT_EQ(called(i_, vm_.stop - 8), vm_.stop - 8) << "Process.stop is stale";
  EXPECT_EQ(sample_.native_end, elf::UnwindEnd::reached);
  EXPECT_EQ(sample_.top.instruction, i_);
  EXPECT_EQ(sample_.top.return_to, std::nullopt);
}

TEST_P(InterpreterReaderTest, an_instruction_that_nobody_tells_is_none) {
  EXPECT_EQ(called(0, 0), std::nullopt) << "of a sample, the caller would be taken for the top";
  EXPECT_FALSE(sample_.top.instruction);
  EXPECT_EQ(called(0, 0, StagedVm::in_c_code(), elf::KnownRegisters::only_place), vm_.stop);
  EXPECT_FALSE(sample_.top.instruction);
}

TEST_P(InterpreterReaderTest, in_a_nif_the_process_tells_the_instruction_that_nobody_else_does) {
  const os::Address name = vm_.memory.erlang.begin + 0x100, call = name + 3 * sizeof(beam::Eterm);
  vm_.set(at_.current, name);
  in_nif_ = true;
  EXPECT_EQ(called(0, 0), std::nullopt) << "no instruction stands there";
  vm_.memory.memory.put(call, tests::FakeVm::interpreter + 0x40);
  EXPECT_EQ(called(0, 0), vm_.stop);
  EXPECT_EQ(sample_.top.instruction, call);
  EXPECT_EQ(called(i_, vm_.stop - 8), vm_.stop - 8);
  EXPECT_EQ(sample_.top.instruction, i_);
  in_nif_ = false;
  EXPECT_EQ(called(0, 0), std::nullopt) << "the process ran that NIF before";
}

TEST_P(InterpreterReaderTest, a_nif_tells_its_caller_also_where_the_unwinding_fails) {
  const os::Address name = vm_.memory.erlang.begin + 0x100, call = name + 3 * sizeof(beam::Eterm);
  vm_.set(at_.current, name);
  vm_.memory.memory.put(call, tests::FakeVm::interpreter + 0x40);
  const auto unwound_badly = [&](os::Address nif) {
    sample_.clear();
    sample_.process = beam::read_process(vm_.memory.layout, vm_.memory.memory, vm_.process);
    sample_.scheduler = SchedulerFields{.current_nif = nif};
    const auto caller = vm_.native->unwind(vm_.c_registers(StagedVm::in_c_code()), {}, sample_);
    return vm_.native->find_erlang_stack(sample_, caller, {}, vm_.normal());
  };
  EXPECT_EQ(unwound_badly(1), vm_.stop);
  EXPECT_NE(sample_.native_end, elf::UnwindEnd::reached);
  EXPECT_EQ(sample_.top.instruction, call);
  EXPECT_EQ(unwound_badly(0), std::nullopt);
}

TEST_P(InterpreterReaderTest, around_a_collection_the_stack_is_where_the_process_has_it) {
  EXPECT_EQ(called(i_, vm_.heap - 8), vm_.stop) << "the old heap is gone";
  vm_.set(at_.stop, vm_.hend + 0x1000);
  EXPECT_EQ(called(i_, vm_.stop), vm_.hend + 0x1000) << "the new one is not there yet";
  EXPECT_EQ(sample_.top.instruction, i_);
}

TEST_P(InterpreterReaderTest, while_scheduling_the_process_is_where_it_will_go_on) {
  vm_.set(at_.i, 0x1234);
  EXPECT_EQ(called(i_, vm_.stop - 8, StagedVm::in_schedule()), vm_.stop);
  EXPECT_EQ(sample_.top.instruction, 0x1234U);
}

TEST_P(InterpreterReaderTest, nothing_is_made_up_where_the_unwinding_fails) {
  sample_.clear();
  sample_.process = beam::read_process(vm_.memory.layout, vm_.memory.memory, vm_.process);
  const auto caller = vm_.native->unwind(vm_.c_registers(StagedVm::in_c_code()), {}, sample_);
  EXPECT_EQ(vm_.native->find_erlang_stack(sample_, caller, {}, vm_.normal()), std::nullopt);
  EXPECT_FALSE(sample_.top.instruction);
  EXPECT_EQ(vm_.native->interpreter()->frame(vm_.normal().role).stack_pointer, 0U);
}

TEST_P(InterpreterReaderTest, its_frame_is_known_from_the_first_sample_on) {
  called(i_, vm_.stop);
  EXPECT_EQ(vm_.native->interpreter()->frame(vm_.normal().role).stack_pointer, vm_.runtime_stack());
  // A call that has arguments on the stack.
  auto registers = StagedVm::registers(tests::FakeVm::interpreter, vm_.runtime_stack() - 16);
  vm_.native->interpreter()->find(sample_, registers, {});
  EXPECT_EQ(vm_.native->interpreter()->frame(vm_.normal().role).stack_pointer, vm_.runtime_stack());
  EXPECT_EQ(vm_.native->interpreter()->frame({beam::ThreadKind::normal, 2}).stack_pointer, 0U);
}

// An interpreter that keeps both in its frame, as clang compiles it.
class InterpreterInFrameTest : public testing::TestWithParam<std::string> {
 protected:
  InterpreterInFrameTest() { vm_.memory.memory.put(i_, tests::FakeVm::interpreter + 0x40); }

  std::optional<InterpreterReader::Found> interprets(std::uint64_t i, std::uint64_t e,
                                                     os::UserRegisters registers = {}) {
    frame_ = {0, i, e};
    registers.value[Register::rsp] = vm_.runtime_stack();
    sample_.clear();
    sample_.role = vm_.normal().role;
    sample_.process = beam::read_process(vm_.memory.layout, vm_.memory.memory, vm_.process);
    return vm_.native->interpreter()->find(sample_, registers,
                                           {vm_.runtime_stack(), std::as_bytes(std::span(frame_))});
  }

  StagedVm vm_{
      GetParam(), false, {.instruction = {{Register::rsp, 8}}, .stack = {{Register::rsp, 16}}}};
  const os::Address i_ = vm_.memory.erlang.begin + 0x80;
  Words frame_;
  ObservedThread sample_;
};
INSTANTIATE_TEST_SUITE_P(Releases, InterpreterInFrameTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(InterpreterInFrameTest, both_are_read_from_the_frame_which_is_known_then) {
  const auto role = vm_.normal().role;
  EXPECT_TRUE(interprets(i_, vm_.heap - 8)->stored) << "not in the heap";
  EXPECT_EQ(vm_.native->interpreter()->frame(role), InterpreterFrame{});
  const auto found = interprets(i_, vm_.stop - 8);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stack, vm_.stop - 8);
  EXPECT_FALSE(found->stored);
  EXPECT_EQ(sample_.top.instruction, i_);
  const auto frame = vm_.native->interpreter()->frame(role);
  EXPECT_EQ(frame.stack_pointer, vm_.runtime_stack());
  EXPECT_EQ(frame.stack_word, vm_.runtime_stack() + 16);
  EXPECT_EQ(frame.places_end, vm_.runtime_stack() + 24);
  EXPECT_EQ(vm_.native->interpreter()->proofs().held, 1U);
  EXPECT_EQ(vm_.native->interpreter()->proofs().failed, 1U);
}

TEST_P(InterpreterInFrameTest, a_call_that_was_unwound_wrongly_does_not_move_the_frame) {
  ASSERT_TRUE(interprets(i_, vm_.stop - 8));
  const auto known = vm_.native->interpreter()->frame(vm_.normal().role);
  for (const std::int64_t wrong : {-16, 64}) {
    Words frame = {0, i_, vm_.stop - 8};
    os::UserRegisters registers;
    registers.value[Register::rsp] = vm_.runtime_stack() + static_cast<std::uint64_t>(wrong);
    const auto found = vm_.native->interpreter()->find(
        sample_, registers, {vm_.runtime_stack(), std::as_bytes(std::span(frame))});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->stack, vm_.stop - 8);
    EXPECT_EQ(vm_.native->interpreter()->frame(vm_.normal().role), known);
  }
}

TEST_P(InterpreterInFrameTest, what_is_no_instruction_is_looked_for_in_the_registers) {
  os::UserRegisters registers;
  registers.value[Register::r14] = i_;
  registers.value[Register::rax] = i_ + 4;  // not aligned
  ASSERT_TRUE(interprets(7, vm_.stop, registers));
  EXPECT_EQ(sample_.top.instruction, i_);
  EXPECT_EQ(interprets(i_ + 8, vm_.stop), std::nullopt) << "an operand";
  EXPECT_FALSE(sample_.top.instruction);
}

TEST_P(InterpreterInFrameTest, a_frame_that_was_not_copied_tells_nothing) {
  os::UserRegisters registers;
  registers.value[Register::rsp] = vm_.runtime_stack();
  EXPECT_EQ(vm_.native->interpreter()->find(sample_, registers, {}), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::sampling
