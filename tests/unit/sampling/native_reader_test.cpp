#include "sampling/native_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"
#include "staged_vm.h"

namespace beam_exporter::sampling {
namespace {

using beam::SavedStackPointer;
using testing::ElementsAre;
using tests::Register;
using tests::StagedVm;
using tests::Words;

class NativeReaderTest : public testing::Test {
 protected:
  os::UserRegisters unwind(const os::UserRegisters& registers, const Words& stack) {
    sample_.clear();
    return vm_.native->unwind(registers,
                              {registers[Register::rsp], std::as_bytes(std::span(stack))}, sample_);
  }
  // In C code that JIT code at `return_to` has called; `function` is where in C.
  os::UserRegisters called_from(os::Address return_to, os::Address function) {
    const auto caller = unwind(vm_.c_registers(function), StagedVm::c_stack(vm_.stop, return_to));
    sample_.top.return_to = return_to;
    sample_.process = beam::read_process(vm_.memory.layout, vm_.memory.memory, vm_.process);
    return caller;
  }

  StagedVm vm_{"27"};
  ObservedThread sample_;
};

TEST_F(NativeReaderTest, unwinds_to_the_jit_code_that_called) {
  const os::Address jit = vm_.jit_from_process();
  const auto caller = called_from(jit, StagedVm::in_c_code());
  EXPECT_THAT(sample_.native, ElementsAre(StagedVm::in_c_code(), jit));
  EXPECT_EQ(sample_.native_end, elf::UnwindEnd::reached);
  EXPECT_EQ(caller[Register::rsp], vm_.runtime_stack());
  EXPECT_EQ(caller[Register::rbp], vm_.stop) << "as it was at the call";
}

TEST_F(NativeReaderTest, unwinds_through_c_functions_that_call_each_other) {
  const os::Address jit = vm_.jit_from_process();
  const auto caller = unwind(StagedVm::registers(StagedVm::in_c_code(), vm_.runtime_stack() - 32),
                             {7, StagedVm::in_schedule() + 1, vm_.stop, jit});
  EXPECT_THAT(sample_.native, ElementsAre(StagedVm::in_c_code(), StagedVm::in_schedule() + 1, jit));
  EXPECT_EQ(caller[Register::rbp], vm_.stop);
  EXPECT_TRUE(vm_.native->scheduling(sample_)) << "below erts_schedule it still schedules";
}

TEST_F(NativeReaderTest, scheduling_is_what_the_jit_has_called_and_nothing_deeper) {
  const os::Address jit = vm_.jit_from_process();
  called_from(jit, StagedVm::in_schedule());
  EXPECT_TRUE(vm_.native->scheduling(sample_));
  called_from(jit, StagedVm::in_c_code());
  EXPECT_FALSE(vm_.native->scheduling(sample_));
  unwind(StagedVm::registers(StagedVm::in_schedule(), vm_.runtime_stack() - 32),
         {7, StagedVm::in_c_code() + 1, vm_.stop, jit});
  EXPECT_FALSE(vm_.native->scheduling(sample_)) << "the JIT did not call it";
  unwind(vm_.c_registers(StagedVm::in_schedule()), {vm_.stop});
  EXPECT_EQ(sample_.native_end, elf::UnwindEnd::no_stack);
  EXPECT_FALSE(vm_.native->scheduling(sample_)) << "not proven";
  unwind(StagedVm::registers(jit, vm_.runtime_stack()), {});
  EXPECT_FALSE(vm_.native->scheduling(sample_)) << "a frame of JIT code only";
}

TEST_F(NativeReaderTest, the_code_behind_the_call_chooses_the_stack_pointer) {
  vm_.set(vm_.memory.layout.process.stop, vm_.stop + 8);  // rbp is stop
  const auto pointer = [&](os::Address jit) {
    const auto caller = called_from(jit, StagedVm::in_c_code());
    return vm_.native->stack_pointer(sample_, caller, vm_.normal());
  };
  EXPECT_EQ(pointer(vm_.jit_from_process()), vm_.stop + 8);
  EXPECT_EQ(pointer(vm_.jit_from_register()), vm_.stop);
  EXPECT_EQ(pointer(vm_.jit_that_tells_nothing()), std::nullopt);
}

TEST_F(NativeReaderTest, an_unproven_rbp_is_not_taken) {
  const os::Address jit = vm_.jit_from_register();
  auto caller = called_from(jit, StagedVm::in_c_code());
  caller.value[Register::rsp] -= 8;
  EXPECT_FALSE(vm_.native->stack_pointer(sample_, caller, vm_.normal()));
  caller.value[Register::rsp] += 8;
  EXPECT_TRUE(vm_.native->stack_pointer(sample_, caller, vm_.normal()));
  sample_.native_end = elf::UnwindEnd::no_rules;
  EXPECT_FALSE(vm_.native->stack_pointer(sample_, caller, vm_.normal()));
}

TEST_F(NativeReaderTest, without_a_return_address_or_with_frame_pointers_it_is_the_stored_one) {
  auto caller = called_from(vm_.jit_from_register(), StagedVm::in_c_code());
  sample_.top.return_to.reset();
  EXPECT_EQ(vm_.native->stack_pointer(sample_, caller, vm_.normal()), vm_.stop);
  StagedVm kept("27", true);
  sample_.top.return_to = kept.jit_from_register();
  EXPECT_EQ(kept.native->stack_pointer(sample_, {}, kept.normal()), vm_.stop);
}

TEST_F(NativeReaderTest, remembers_code_until_other_code_is_loaded) {
  const os::Address at = vm_.jit_from_register();
  EXPECT_EQ(vm_.native->where_saved(at), SavedStackPointer::in_rbp);
  const auto reads = vm_.memory.memory.reads();
  EXPECT_EQ(vm_.native->where_saved(at), SavedStackPointer::in_rbp);
  EXPECT_EQ(vm_.memory.memory.reads(), reads);
  vm_.memory.memory.put_bytes(at, std::vector<std::byte>(128, std::byte{0x90}));
  vm_.memory.load({"later", {{"start", 0}}});
  ASSERT_TRUE(vm_.vm->code().refresh());
  EXPECT_EQ(vm_.native->where_saved(at), SavedStackPointer::unknown);
}

TEST_F(NativeReaderTest, what_cannot_be_read_is_unknown_and_tried_again) {
  EXPECT_EQ(vm_.native->where_saved(StagedVm::in_c_code()), SavedStackPointer::unknown)
      << "not JIT code";
  const os::Address at = vm_.jit_from_process();
  vm_.memory.memory.forget(at + 64, 1);
  EXPECT_EQ(vm_.native->where_saved(at), SavedStackPointer::unknown);
  vm_.memory.memory.put(at + 64, std::uint8_t{0x90});
  EXPECT_EQ(vm_.native->where_saved(at), SavedStackPointer::in_process);
}

class InterpretedReaderTest : public testing::TestWithParam<std::string> {
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
INSTANTIATE_TEST_SUITE_P(Releases, InterpretedReaderTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(InterpretedReaderTest, its_registers_tell_the_instruction_and_the_stack) {
  EXPECT_EQ(called(i_, vm_.stop - 8), vm_.stop - 8) << "Process.stop is stale";
  EXPECT_EQ(sample_.native_end, elf::UnwindEnd::reached);
  EXPECT_EQ(sample_.top.instruction, i_);
  EXPECT_EQ(sample_.top.return_to, std::nullopt);
}

TEST_P(InterpretedReaderTest, an_instruction_that_nobody_tells_is_none) {
  EXPECT_EQ(called(0, 0), std::nullopt) << "of a sample, the caller would be taken for the top";
  EXPECT_FALSE(sample_.top.instruction);
  EXPECT_EQ(called(0, 0, StagedVm::in_c_code(), elf::KnownRegisters::only_place), vm_.stop);
  EXPECT_FALSE(sample_.top.instruction);
}

TEST_P(InterpretedReaderTest, in_a_nif_the_process_tells_the_instruction_that_nobody_else_does) {
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

TEST_P(InterpretedReaderTest, a_nif_tells_its_caller_also_where_the_unwinding_fails) {
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

TEST_P(InterpretedReaderTest, around_a_collection_the_stack_is_where_the_process_has_it) {
  EXPECT_EQ(called(i_, vm_.heap - 8), vm_.stop) << "the old heap is gone";
  vm_.set(at_.stop, vm_.hend + 0x1000);
  EXPECT_EQ(called(i_, vm_.stop), vm_.hend + 0x1000) << "the new one is not there yet";
  EXPECT_EQ(sample_.top.instruction, i_);
}

TEST_P(InterpretedReaderTest, while_scheduling_the_process_is_where_it_will_go_on) {
  vm_.set(at_.i, 0x1234);
  EXPECT_EQ(called(i_, vm_.stop - 8, StagedVm::in_schedule()), vm_.stop);
  EXPECT_EQ(sample_.top.instruction, 0x1234U);
}

TEST_P(InterpretedReaderTest, nothing_is_made_up_where_the_unwinding_fails) {
  sample_.clear();
  sample_.process = beam::read_process(vm_.memory.layout, vm_.memory.memory, vm_.process);
  const auto caller = vm_.native->unwind(vm_.c_registers(StagedVm::in_c_code()), {}, sample_);
  EXPECT_EQ(vm_.native->find_erlang_stack(sample_, caller, {}, vm_.normal()), std::nullopt);
  EXPECT_FALSE(sample_.top.instruction);
  EXPECT_EQ(vm_.native->interpreter_frame(vm_.normal().role).stack_pointer, 0U);
}

TEST_P(InterpretedReaderTest, its_frame_is_known_from_the_first_sample_on) {
  called(i_, vm_.stop);
  EXPECT_EQ(vm_.native->interpreter_frame(vm_.normal().role).stack_pointer, vm_.runtime_stack());
  // A call that has arguments on the stack.
  auto registers = StagedVm::registers(tests::FakeVm::interpreter, vm_.runtime_stack() - 16);
  vm_.native->find_interpreted(sample_, registers, {});
  EXPECT_EQ(vm_.native->interpreter_frame(vm_.normal().role).stack_pointer, vm_.runtime_stack());
  EXPECT_EQ(vm_.native->interpreter_frame({beam::ThreadKind::normal, 2}).stack_pointer, 0U);
}

// An interpreter that keeps both in its frame, as clang compiles it.
class FrameReaderTest : public testing::TestWithParam<std::string> {
 protected:
  FrameReaderTest() { vm_.memory.memory.put(i_, tests::FakeVm::interpreter + 0x40); }

  std::optional<NativeReader::Interpreted> interprets(std::uint64_t i, std::uint64_t e,
                                                      os::UserRegisters registers = {}) {
    frame_ = {0, i, e};
    registers.value[Register::rsp] = vm_.runtime_stack();
    sample_.clear();
    sample_.role = vm_.normal().role;
    sample_.process = beam::read_process(vm_.memory.layout, vm_.memory.memory, vm_.process);
    return vm_.native->find_interpreted(sample_, registers,
                                        {vm_.runtime_stack(), std::as_bytes(std::span(frame_))});
  }

  StagedVm vm_{
      GetParam(), false, {.instruction = {{Register::rsp, 8}}, .stack = {{Register::rsp, 16}}}};
  const os::Address i_ = vm_.memory.erlang.begin + 0x80;
  Words frame_;
  ObservedThread sample_;
};
INSTANTIATE_TEST_SUITE_P(Releases, FrameReaderTest, tests::each_interpreter, tests::release_name);

TEST_P(FrameReaderTest, both_are_read_from_the_frame_which_is_known_then) {
  const auto role = vm_.normal().role;
  EXPECT_TRUE(interprets(i_, vm_.heap - 8)->stored) << "not in the heap";
  EXPECT_EQ(vm_.native->interpreter_frame(role), NativeReader::InterpreterFrame{});
  const auto found = interprets(i_, vm_.stop - 8);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stack, vm_.stop - 8);
  EXPECT_FALSE(found->stored);
  EXPECT_EQ(sample_.top.instruction, i_);
  const auto frame = vm_.native->interpreter_frame(role);
  EXPECT_EQ(frame.stack_pointer, vm_.runtime_stack());
  EXPECT_EQ(frame.stack_word, vm_.runtime_stack() + 16);
  EXPECT_EQ(frame.places_end, vm_.runtime_stack() + 24);
  EXPECT_EQ(vm_.native->proofs().held, 1U);
  EXPECT_EQ(vm_.native->proofs().failed, 1U);
}

TEST_P(FrameReaderTest, a_call_that_was_unwound_wrongly_does_not_move_the_frame) {
  ASSERT_TRUE(interprets(i_, vm_.stop - 8));
  const auto known = vm_.native->interpreter_frame(vm_.normal().role);
  for (const std::int64_t wrong : {-16, 64}) {
    Words frame = {0, i_, vm_.stop - 8};
    os::UserRegisters registers;
    registers.value[Register::rsp] = vm_.runtime_stack() + static_cast<std::uint64_t>(wrong);
    const auto found = vm_.native->find_interpreted(
        sample_, registers, {vm_.runtime_stack(), std::as_bytes(std::span(frame))});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->stack, vm_.stop - 8);
    EXPECT_EQ(vm_.native->interpreter_frame(vm_.normal().role), known);
  }
}

TEST_P(FrameReaderTest, what_is_no_instruction_is_looked_for_in_the_registers) {
  os::UserRegisters registers;
  registers.value[Register::r14] = i_;
  registers.value[Register::rax] = i_ + 4;  // not aligned
  ASSERT_TRUE(interprets(7, vm_.stop, registers));
  EXPECT_EQ(sample_.top.instruction, i_);
  EXPECT_EQ(interprets(i_ + 8, vm_.stop), std::nullopt) << "an operand";
  EXPECT_FALSE(sample_.top.instruction);
}

TEST_P(FrameReaderTest, a_frame_that_was_not_copied_tells_nothing) {
  os::UserRegisters registers;
  registers.value[Register::rsp] = vm_.runtime_stack();
  EXPECT_EQ(vm_.native->find_interpreted(sample_, registers, {}), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::sampling
