#include "sampling/ebpf/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"
#include "unit/sampling/staged_vm.h"

namespace beam_exporter::sampling {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using tests::StagedRecord;
using tests::StagedVm;
using tests::Words;

class RecordReaderTest : public testing::TestWithParam<std::string> {
 protected:
  StagedVm& vm() { return *staged_; }
  const RawSample& read(const beam::Scheduler* scheduler) {
    RecordReader reader(*vm().vm, *vm().native);
    sample_.clear();
    EXPECT_TRUE(reader.read(record_.bytes(), scheduler, sample_));
    return sample_;
  }
  const RawSample& read() { return read(&vm().normal()); }
  // C code that JIT code at `return_to` has called while rbp was `saved`.
  const RawSample& read_c_code(os::Address return_to, std::uint64_t saved) {
    record_.set_c_stack(vm(), StagedVm::in_c_code(), saved, return_to);
    return read();
  }

  std::unique_ptr<StagedVm> staged_ = std::make_unique<StagedVm>(GetParam());
  StagedRecord record_;
  RawSample sample_;
};
INSTANTIATE_TEST_SUITE_P(Releases, RecordReaderTest, tests::each_jit_release, tests::release_name);

TEST_P(RecordReaderTest, jit_code_has_its_stack_at_rsp) {
  const os::Address rip = vm().jit_from_process();
  record_.set_process(vm());
  record_.set(StagedVm::registers(rip, vm().stop + 8, 0x2222));
  record_.set_top(vm().stop + 8, {0xb1, 0xb2, 0xb3});
  record_.record.time = 77;
  record_.record.current_nif = 0x10, record_.record.current_port = 0x20;
  record_.record.sleep_flags = 5;
  const auto& sample = read();
  EXPECT_EQ(sample.time, std::chrono::nanoseconds(77));
  EXPECT_EQ(sample.read_delay, std::chrono::nanoseconds(0));
  ASSERT_TRUE(sample.scheduler);
  EXPECT_EQ(sample.scheduler->current_process, vm().process);
  EXPECT_EQ(sample.scheduler->current_nif, 0x10u);
  EXPECT_EQ(sample.scheduler->current_port, 0x20u);
  EXPECT_EQ(sample.scheduler->sleep_flags, 5u);
  ASSERT_TRUE(sample.process);
  EXPECT_EQ(sample.process->address, vm().process);
  EXPECT_FALSE(sample.process_unreadable);
  EXPECT_EQ(sample.top.instruction, rip);
  EXPECT_FALSE(sample.top.return_to);
  EXPECT_EQ(sample.top.frame_pointer, 0u);
  EXPECT_THAT(sample.native, IsEmpty());
  EXPECT_EQ(sample.top_begin, vm().stop + 8);
  EXPECT_THAT(sample.top_words, ElementsAre(0xb1, 0xb2, 0xb3));
  EXPECT_THAT(sample.bottom_words, IsEmpty());
  EXPECT_FALSE(sample.stack_cut);
}

TEST_P(RecordReaderTest, a_deep_stack_has_both_ends) {
  record_.set_process(vm());
  record_.set(StagedVm::registers(vm().jit_from_process(), vm().stop));
  record_.set_top(vm().stop, {0xa0});
  record_.record.bottom_begin = vm().hend - 8;
  record_.bottom = {0xa3};
  const auto& sample = read();
  EXPECT_THAT(sample.top_words, ElementsAre(0xa0));
  EXPECT_THAT(sample.bottom_words, ElementsAre(0xa3));
  EXPECT_EQ(sample.bottom_begin, vm().hend - 8);
  EXPECT_FALSE(sample.stack_cut);
}

TEST_P(RecordReaderTest, a_bottom_that_was_not_resident_is_a_cut) {
  record_.set_process(vm());
  record_.record.flags |= sample_stack_unread;
  record_.set(StagedVm::registers(vm().jit_from_process(), vm().stop));
  record_.set_top(vm().stop, {0xa0, 0xa1});
  record_.record.bottom_begin = vm().hend - 8;
  EXPECT_THAT(read().top_words, ElementsAre(0xa0, 0xa1));
  EXPECT_TRUE(sample_.stack_cut);
}

TEST_P(RecordReaderTest, a_stack_that_was_not_resident_is_a_cut) {
  record_.set_process(vm());
  record_.record.flags |= sample_stack_unread;
  record_.set(StagedVm::registers(vm().jit_from_process(), vm().stop));
  record_.set_top(vm().stop, {});
  EXPECT_THAT(read().top_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
  EXPECT_TRUE(sample_.top.instruction) << "the function on top is known all the same";
}

TEST_P(RecordReaderTest, around_a_call_of_c_the_code_tells_where_the_stack_is) {
  record_.set_process(vm());
  record_.set_top(vm().heap, Words((vm().hend - vm().heap) / 8, 0xee));
  record_.set(StagedVm::registers(vm().jit_from_process(), vm().runtime_stack(), vm().stop - 32));
  EXPECT_EQ(read().top_begin, vm().stop);
  EXPECT_EQ(sample_.top_words.size(), 4u);
  record_.set(StagedVm::registers(vm().jit_from_register(), vm().runtime_stack(), vm().stop - 32));
  EXPECT_EQ(read().top_begin, vm().stop - 32);
  EXPECT_EQ(sample_.top_words.size(), 8u);
}

TEST_P(RecordReaderTest, jit_code_without_a_process_keeps_what_it_is) {
  record_.set(StagedVm::registers(vm().jit_from_process(), vm().stop));
  EXPECT_TRUE(read().top.instruction);
  EXPECT_FALSE(sample_.process);
  EXPECT_FALSE(sample_.process_unreadable);
  EXPECT_FALSE(sample_.scheduler) << "its flag is not set";
}

TEST_P(RecordReaderTest, c_code_that_stored_the_stack_pointer) {
  const os::Address caller = vm().jit_from_process();
  record_.set_process(vm());
  record_.set_top(vm().stop - 16, {1, 2, 0xa0, 0xa1, 0xa2, 0xa3});  // its page begins there
  const auto& sample = read_c_code(caller, vm().stop - 8);
  EXPECT_THAT(sample.native, ElementsAre(StagedVm::in_c_code(), caller));
  EXPECT_EQ(sample.native_end, elf::UnwindEnd::reached);
  EXPECT_EQ(sample.top.return_to, caller);
  EXPECT_FALSE(sample.top.instruction);
  EXPECT_EQ(sample.top_begin, vm().stop);
  EXPECT_THAT(sample.top_words, ElementsAreArray(vm().stack));
  EXPECT_FALSE(sample.stack_cut);
}

TEST_P(RecordReaderTest, c_code_that_left_the_stack_pointer_in_rbp) {
  record_.set_process(vm());
  record_.set_top(vm().stop - 16, {1, 2, 0xa0, 0xa1, 0xa2, 0xa3});
  EXPECT_EQ(read_c_code(vm().jit_from_register(), vm().stop - 8).top_begin, vm().stop - 8);
  EXPECT_THAT(sample_.top_words, ElementsAre(2, 0xa0, 0xa1, 0xa2, 0xa3));
  EXPECT_FALSE(sample_.stack_cut);
}

TEST_P(RecordReaderTest, far_below_the_stored_one_the_guessed_part_has_it) {
  record_.set_process(vm());
  record_.set_top(vm().stop, {0xa0});
  record_.record.guessed_begin = vm().stop - 128;
  record_.guessed = {1, 2, 3, 4};
  record_.record.bottom_begin = vm().hend - 8;
  record_.bottom = {0xa3};
  EXPECT_EQ(read_c_code(vm().jit_from_register(), vm().stop - 120).top_begin, vm().stop - 120);
  EXPECT_THAT(sample_.top_words, ElementsAre(2, 3, 4));
  EXPECT_THAT(sample_.bottom_words, ElementsAre(0xa3));
  EXPECT_FALSE(sample_.stack_cut);
  record_.bottom.clear();  // the bottom is in the top part, which is not taken
  EXPECT_THAT(read().top_words, ElementsAre(2, 3, 4));
  EXPECT_TRUE(sample_.stack_cut);
}

TEST_P(RecordReaderTest, where_no_part_has_it_nothing_is_made_up) {
  record_.set_process(vm());
  record_.set_top(vm().stop, vm().stack);
  record_.record.guessed_begin = vm().stop - 128;
  record_.guessed = {1, 2};
  for (const os::Address e : {vm().stop - 136, vm().stop - 112, vm().stop - 8}) {
    EXPECT_THAT(read_c_code(vm().jit_from_register(), e).top_words, IsEmpty());
    EXPECT_TRUE(sample_.stack_cut);
    EXPECT_TRUE(sample_.top.return_to);
  }
}

TEST_P(RecordReaderTest, rbp_is_believed_only_when_the_unwinding_is_proven) {
  const os::Address caller = vm().jit_from_register();
  record_.set_process(vm());
  record_.set_top(vm().stop, vm().stack);
  record_.set_c_stack(vm(), StagedVm::in_c_code(), vm().stop, caller);
  // One word deeper: the frame ends below the runtime stack, so it is not the JIT's call.
  record_.record.registers[tests::Register::rsp] -= 8;
  record_.record.native_begin -= 8;
  EXPECT_EQ(read().native_end, elf::UnwindEnd::reached);
  EXPECT_TRUE(sample_.stack_cut);
  EXPECT_THAT(sample_.top_words, IsEmpty());
  // The C stack itself was cut: the JIT's frame is never reached.
  record_.set_c_stack(vm(), StagedVm::in_c_code(), vm().stop, caller);
  record_.native.pop_back();
  EXPECT_EQ(read().native_end, elf::UnwindEnd::no_stack);
  EXPECT_TRUE(sample_.stack_cut);
  EXPECT_EQ(sample_.top.return_to, caller) << "that word came by itself";
  EXPECT_TRUE(read_c_code(vm().jit_that_tells_nothing(), vm().stop).stack_cut);
  EXPECT_THAT(sample_.top_words, IsEmpty());
}

TEST_P(RecordReaderTest, an_empty_stack_is_not_a_cut_one) {
  vm().stop = vm().memory.set_stack(vm().process, {});
  record_.set_process(vm());
  record_.set_top(vm().hend, {0xb1, 0xb2});  // behind it: another process's
  EXPECT_FALSE(read_c_code(vm().jit_from_process(), 0).stack_cut);
  EXPECT_THAT(sample_.top_words, IsEmpty());
}

TEST_P(RecordReaderTest, with_frame_pointers_it_takes_them_and_the_stored_stack) {
  if (!vm().memory.layout.process.frame_pointer.present()) return;  // OTP 24 keeps none
  staged_ = std::make_unique<StagedVm>(GetParam(), true);           // +JPfp true
  record_ = {};
  const os::Address jit = vm().jit_from_register();
  vm().set(vm().memory.layout.process.frame_pointer, 0x3333);
  record_.set_process(vm());
  record_.set_top(vm().stop, vm().stack);
  record_.set(StagedVm::registers(jit, vm().stop, 0x2222));
  EXPECT_EQ(read().top.frame_pointer, 0x2222u);
  EXPECT_EQ(read_c_code(jit, 0x2222).top.frame_pointer, 0x3333u);
  EXPECT_THAT(sample_.top_words, ElementsAreArray(vm().stack));
}

// erts_schedule has swapped the process out: whatever the code behind the call keeps in rbp.
TEST_P(RecordReaderTest, while_scheduling_the_process_is_where_it_will_go_on) {
  vm().set(vm().memory.layout.process.i, 0x7e0000000123);
  record_.set_process(vm());
  record_.set_top(vm().stop, vm().stack);
  record_.set_c_stack(vm(), StagedVm::in_schedule(), vm().stop - 8, vm().jit_from_register());
  EXPECT_EQ(read().top.instruction, 0x7e0000000123u);
  EXPECT_EQ(sample_.top_begin, vm().stop);
  EXPECT_THAT(sample_.top_words, ElementsAreArray(vm().stack));
  EXPECT_FALSE(sample_.stack_cut);
  // In other C code Process.i is stale.
  record_.set_c_stack(vm(), StagedVm::in_c_code(), vm().stop - 8, vm().jit_from_register());
  EXPECT_FALSE(read().top.instruction);
}

TEST_P(RecordReaderTest, a_dirty_scheduler_runs_what_the_process_left_its_scheduler_for) {
  vm().set(vm().memory.layout.process.i, 0x7e0000000123);
  record_.set_process(vm());
  record_.set_top(vm().stop, vm().stack);
  record_.set(StagedVm::registers(StagedVm::in_c_code(), 0x7000));
  record_.record.native_begin = 0x7000;
  record_.native = {0, 0xdead};
  const auto& sample = read(&vm().dirty());
  EXPECT_EQ(sample.top.instruction, 0x7e0000000123u);
  EXPECT_FALSE(sample.top.return_to);
  EXPECT_THAT(sample.native, ElementsAre(StagedVm::in_c_code(), 0xdead));
  EXPECT_EQ(sample.native_end, elf::UnwindEnd::no_rules);
  EXPECT_THAT(sample.top_words, ElementsAreArray(vm().stack));
}

TEST_P(RecordReaderTest, other_threads_have_native_frames_only) {
  record_.set_c_stack(vm(), StagedVm::in_c_code(), 0, 0xdead);
  EXPECT_THAT(read(nullptr).native, ElementsAre(StagedVm::in_c_code(), 0xdead));
  EXPECT_FALSE(sample_.top.return_to);
  EXPECT_FALSE(sample_.process || sample_.scheduler || sample_.stack_cut);
}

// heap and hend are the new ones, the stack is still in the old place.
TEST_P(RecordReaderTest, in_a_garbage_collection_the_mark_at_the_bottom_ends_the_stack) {
  const os::Address elsewhere = vm().hend + 0x10000;
  vm().set(vm().memory.layout.process.stop, elsewhere);
  record_.set_process(vm());
  record_.set_top(elsewhere, {0xc0, 0xc1, StagedVm::bottom, 0x666});
  const os::Address caller = vm().jit_from_process();
  EXPECT_EQ(read_c_code(caller, 0).top_begin, elsewhere);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xc0, 0xc1));
  EXPECT_FALSE(sample_.stack_cut);
  record_.top[2] = 0x667;  // the mark lies beyond what was copied
  EXPECT_THAT(read().top_words, ElementsAre(0xc0, 0xc1, 0x667, 0x666));
  EXPECT_TRUE(sample_.stack_cut);
  record_.record.top_begin += 8;  // what was copied is not from there
  EXPECT_THAT(read().top_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
  record_.top.clear();
  record_.record.top_begin = elsewhere;
  EXPECT_TRUE(read().stack_cut) << "none of it was resident";
}

TEST_P(RecordReaderTest, a_process_that_makes_no_sense_is_unreadable_not_absent) {
  record_.set_process(vm());
  record_.set_top(vm().stop, vm().stack);
  const auto good = record_.process;
  const auto expect_unreadable = [&] {
    EXPECT_TRUE(read_c_code(vm().jit_from_process(), 0).process_unreadable);
    EXPECT_FALSE(sample_.process);
    EXPECT_THAT(sample_.top_words, IsEmpty());
    EXPECT_TRUE(sample_.top.return_to) << "the function is known all the same";
  };
  record_.process.assign(good.size(), std::byte{0});
  expect_unreadable();
  record_.process.assign(good.begin(), good.begin() + 8);  // a size that lies
  expect_unreadable();
  record_.process.clear();
  expect_unreadable();
  record_.process = good;
  record_.record.flags &= ~unsigned{sample_process};
  expect_unreadable();
  record_.record.flags |= sample_process;
  EXPECT_FALSE(read().process_unreadable);
}

}  // namespace
}  // namespace beam_exporter::sampling
