#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"
#include "sampling/ebpf/record_reader.h"
#include "unit/sampling/staged_vm.h"

namespace beam_exporter::sampling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tests::StagedRecord;
using tests::StagedVm;

class InterpreterRecordTest : public testing::TestWithParam<std::string> {
 protected:
  const RawSample& read() {
    RecordReader reader(*vm_.vm, *vm_.native);
    sample_.clear();
    EXPECT_TRUE(reader.read(record_.bytes(), &vm_.normal(), sample_));
    return sample_;
  }
  const RawSample& interprets(os::Address i, os::Address e) {
    record_.set(vm_.interpreting(i, e));
    return read();
  }

  StagedVm vm_{GetParam()};
  StagedRecord record_;
  RawSample sample_;
};
INSTANTIATE_TEST_SUITE_P(Releases, InterpreterRecordTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(InterpreterRecordTest, in_the_interpreter_its_registers_tell_where_it_is) {
  record_.set_process(vm_);
  record_.set_top(vm_.stop - 8, {0x9f, 0xa0, 0xa1, 0xa2, 0xa3});
  interprets(0x5678, vm_.stop - 8);
  EXPECT_THAT(sample_.native, IsEmpty());
  EXPECT_EQ(sample_.top.instruction, 0x5678U);
  EXPECT_EQ(sample_.top_begin, vm_.stop - 8);
  EXPECT_THAT(sample_.top_words, ElementsAre(0x9f, 0xa0, 0xa1, 0xa2, 0xa3));
  EXPECT_FALSE(sample_.stack_cut);
}

TEST_P(InterpreterRecordTest, of_a_process_that_was_just_scheduled_in_the_registers_are_stale) {
  vm_.set(vm_.memory.layout.process.i, 0x1234);
  record_.set_process(vm_);
  record_.set_top(vm_.stop, vm_.stack);
  interprets(0x5678, vm_.hend + 0x1000);
  EXPECT_EQ(sample_.top.instruction, 0x1234U);
  EXPECT_EQ(sample_.top_begin, vm_.stop);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xa0, 0xa1, 0xa2, 0xa3));
}

TEST_P(InterpreterRecordTest, without_a_process_it_keeps_what_it_is) {
  interprets(0x5678, 0);
  EXPECT_EQ(sample_.top.instruction, 0x5678U);
  EXPECT_THAT(sample_.top_words, IsEmpty());
}

TEST_P(InterpreterRecordTest, the_word_below_its_frame_is_no_erlang_code) {
  record_.set_process(vm_);
  record_.set_top(vm_.stop, vm_.stack);
  record_.set_c_stack(vm_, StagedVm::in_c_code(), 0, tests::FakeVm::interpreter + 8);
  record_.set(StagedVm::interpreting(vm_.c_registers(StagedVm::in_c_code()), 0x5678, 0));
  read();
  EXPECT_EQ(sample_.native_end, elf::UnwindEnd::reached);
  EXPECT_FALSE(sample_.top.return_to);
  EXPECT_EQ(sample_.top.instruction, 0x5678U);
  EXPECT_EQ(sample_.top_begin, vm_.stop) << "r13 is not in the heap";
}

// Where code without rules has saved the registers: the caller must not be taken for the top.
TEST_P(InterpreterRecordTest, without_the_instruction_its_stack_is_not_told) {
  record_.set_process(vm_);
  record_.set_top(vm_.stop, vm_.stack);
  record_.set_c_stack(vm_, StagedVm::in_c_code(), 0, tests::FakeVm::interpreter + 8);
  read();
  EXPECT_EQ(sample_.native_end, elf::UnwindEnd::reached);
  EXPECT_FALSE(sample_.top.instruction);
  EXPECT_THAT(sample_.top_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
}

}  // namespace
}  // namespace beam_exporter::sampling
