#include "sampling/native_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace beam_exporter::sampling
