#include "sampling/perf/remote_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/each_release.h"
#include "os/monotonic_clock.h"
#include "unit/sampling/staged_vm.h"

namespace beam_exporter::sampling {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using tests::Register;
using tests::StagedVm;
using tests::Words;

constexpr std::size_t window_words = 16 * 1024 / 8;

class RemoteReaderTest : public testing::TestWithParam<std::string> {
 protected:
  const ObservedThread& complete(os::UserRegisters registers, const Words& stack,
                                 const beam::Scheduler* scheduler) {
    const auto seen_at = os::monotonic_now();
    sample_.clear();
    RemoteReader(*vm_.vm, *vm_.native)
        .complete({.time = seen_at,
                   .has_registers = true,
                   .registers = registers,
                   .stack = std::as_bytes(std::span(stack))},
                  scheduler, sample_);
    EXPECT_EQ(sample_.time, seen_at);
    EXPECT_GT(sample_.read_delay, std::chrono::nanoseconds(0));
    EXPECT_LE(sample_.read_delay, os::monotonic_now() - seen_at);
    return sample_;
  }
  const ObservedThread& in_jit(const Words& stack, os::Address rsp) {
    auto registers = StagedVm::registers(vm_.jit_from_process(), rsp);
    registers.value[Register::r13] = vm_.process;
    return complete(registers, stack, &vm_.normal());
  }
  const ObservedThread& in_c(os::Address function, os::Address return_to, std::uint64_t saved = 0) {
    return complete(vm_.c_registers(function), StagedVm::c_stack(saved, return_to), &vm_.normal());
  }
  // A process whose stack is deeper than what is read of it.
  void make_deep(std::size_t words) {
    vm_.make_process(words * 8 + 1024);
    vm_.stack.clear();
    for (std::size_t k = 0; k < words; ++k) vm_.stack.push_back(0x100 + k);
    vm_.stop = vm_.memory.set_stack(vm_.process, vm_.stack);
  }

  StagedVm vm_{GetParam()};
  ObservedThread sample_;
};
INSTANTIATE_TEST_SUITE_P(Releases, RemoteReaderTest, tests::each_jit_release, tests::release_name);

TEST_P(RemoteReaderTest, jit_code_has_its_stack_in_the_copy_up_to_the_mark_at_the_bottom) {
  in_jit({0xb1, 0xb2, StagedVm::bottom, 0x666}, vm_.stop);
  EXPECT_TRUE(sample_.top.instruction);
  ASSERT_TRUE(sample_.process) << "r13";
  EXPECT_EQ(sample_.process->address, vm_.process);
  EXPECT_EQ(sample_.top_begin, vm_.stop);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xb1, 0xb2)) << "of the instant, not read later";
  EXPECT_THAT(sample_.bottom_words, IsEmpty());
  EXPECT_THAT(sample_.native, IsEmpty());
  EXPECT_FALSE(sample_.stack_cut);
}

TEST_P(RemoteReaderTest, what_the_copy_does_not_reach_is_read_later) {
  in_jit({0xb1, 0xb2}, vm_.stop);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xb1, 0xb2));
  EXPECT_EQ(sample_.bottom_begin, vm_.stop + 16);
  EXPECT_THAT(sample_.bottom_words, ElementsAre(0xa2, 0xa3));
  EXPECT_FALSE(sample_.stack_cut);
}

TEST_P(RemoteReaderTest, a_deep_stack_is_read_at_both_ends_only) {
  make_deep(3 * window_words);
  vm_.executes(0);
  in_c(StagedVm::in_c_code(), vm_.jit_from_process());
  EXPECT_EQ(sample_.top_begin, vm_.stop);
  EXPECT_EQ(sample_.top_words.size(), window_words);
  EXPECT_EQ(sample_.top_words.front(), vm_.stack.front());
  EXPECT_EQ(sample_.bottom_words.size(), window_words);
  EXPECT_EQ(sample_.bottom_words.back(), vm_.stack.back());
  EXPECT_EQ(sample_.bottom_begin + window_words * 8, vm_.hend);
  EXPECT_FALSE(sample_.stack_cut);
}

TEST_P(RemoteReaderTest, a_stack_that_has_moved_since_is_cut_where_the_copy_ends) {
  in_jit({0xb1, 0xb2}, vm_.hend + 0x10000);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xb1, 0xb2));
  EXPECT_THAT(sample_.bottom_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
}

TEST_P(RemoteReaderTest, an_empty_or_misaligned_copy_is_not_taken) {
  EXPECT_TRUE(in_jit({}, vm_.stop).stack_cut);
  EXPECT_THAT(in_jit({0xb1}, vm_.stop + 4).top_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
}

TEST_P(RemoteReaderTest, around_a_call_of_c_the_code_tells_where_the_stack_is) {
  const auto at_runtime_stack = [&](os::Address jit) {
    auto registers = StagedVm::registers(jit, vm_.runtime_stack(), vm_.stop - 8);
    registers.value[Register::r13] = vm_.process;
    return complete(registers, {1, 2, 3}, &vm_.normal()).top_begin;
  };
  EXPECT_EQ(at_runtime_stack(vm_.jit_from_process()), vm_.stop);
  EXPECT_THAT(sample_.top_words, ElementsAreArray(vm_.stack));
  EXPECT_EQ(at_runtime_stack(vm_.jit_from_register()), vm_.stop - 8);
  EXPECT_EQ(sample_.top_words.size(), 5u);
}

TEST_P(RemoteReaderTest, jit_code_of_a_process_that_is_gone_keeps_the_copied_stack) {
  vm_.set(vm_.memory.layout.process.id, 0);
  in_jit({0xb1, StagedVm::bottom}, vm_.stop);
  EXPECT_TRUE(sample_.process_unreadable);
  EXPECT_FALSE(sample_.process);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xb1));
  EXPECT_FALSE(sample_.stack_cut);
  EXPECT_TRUE(in_jit({0xb1}, vm_.stop).stack_cut) << "its bottom cannot be read";
}

TEST_P(RemoteReaderTest, c_code_finds_the_process_and_the_stack_it_stored) {
  const os::Address jit = vm_.jit_from_process();
  vm_.executes(0);
  in_c(StagedVm::in_c_code(), jit);
  EXPECT_THAT(sample_.native, ElementsAre(StagedVm::in_c_code(), jit));
  EXPECT_EQ(sample_.top.return_to, jit);
  EXPECT_FALSE(sample_.top.instruction);
  ASSERT_TRUE(sample_.scheduler && sample_.process);
  EXPECT_EQ(sample_.scheduler->current_process, vm_.process);
  EXPECT_EQ(sample_.process->address, vm_.process);
  EXPECT_THAT(sample_.top_words, ElementsAreArray(vm_.stack));
  EXPECT_FALSE(sample_.stack_cut);
}

TEST_P(RemoteReaderTest, c_code_that_left_the_stack_pointer_in_rbp) {
  vm_.executes(0);
  in_c(StagedVm::in_c_code(), vm_.jit_from_register(), vm_.stop - 8);
  EXPECT_EQ(sample_.top_begin, vm_.stop - 8);
  EXPECT_EQ(sample_.top_words.size(), 5u);
  EXPECT_FALSE(sample_.stack_cut);
  in_c(StagedVm::in_c_code(), vm_.jit_from_register(), vm_.hend + 8);
  EXPECT_THAT(sample_.top_words, IsEmpty()) << "no stack of this process";
  EXPECT_TRUE(sample_.stack_cut);
  EXPECT_TRUE(in_c(StagedVm::in_c_code(), vm_.jit_that_tells_nothing()).stack_cut);
}

TEST_P(RemoteReaderTest, while_scheduling_the_process_is_where_it_will_go_on) {
  vm_.set(vm_.memory.layout.process.i, 0x7e0000000123);
  vm_.executes(0);
  in_c(StagedVm::in_schedule(), vm_.jit_from_register(), vm_.stop - 8);
  EXPECT_EQ(sample_.top.instruction, 0x7e0000000123u);
  EXPECT_THAT(sample_.top_words, ElementsAreArray(vm_.stack));
}

TEST_P(RemoteReaderTest, a_dirty_scheduler_runs_what_the_process_left_its_scheduler_for) {
  vm_.set(vm_.memory.layout.process.i, 0x7e0000000123);
  vm_.executes(2);
  complete(StagedVm::registers(StagedVm::in_c_code(), 0x7000), {0, 0xdead}, &vm_.dirty());
  EXPECT_EQ(sample_.top.instruction, 0x7e0000000123u);
  EXPECT_FALSE(sample_.top.return_to);
  EXPECT_THAT(sample_.top_words, ElementsAreArray(vm_.stack));
}

TEST_P(RemoteReaderTest, the_return_address_is_taken_only_where_the_copy_holds_it) {
  const os::Address jit = vm_.jit_from_process();
  const auto return_to = [&](os::Address rsp, const Words& stack) {
    return complete(StagedVm::registers(StagedVm::in_c_code(), rsp), stack, &vm_.normal())
        .top.return_to;
  };
  const os::Address last = vm_.runtime_stack() - 8;
  EXPECT_EQ(return_to(last - 8, {0, jit}), jit);
  EXPECT_EQ(return_to(last, {jit}), jit);
  EXPECT_EQ(return_to(last - 8, {0}), std::nullopt) << "the copy ends right before it";
  EXPECT_EQ(return_to(last - 4, {0}), std::nullopt) << "half of it";
  EXPECT_EQ(return_to(last, {}), std::nullopt);
  EXPECT_EQ(return_to(last + 8, {jit}), std::nullopt) << "rsp is above it";
  EXPECT_EQ(return_to(0, {jit}), std::nullopt);
}

TEST_P(RemoteReaderTest, no_process_is_told_from_one_that_cannot_be_read) {
  in_c(StagedVm::in_c_code(), vm_.jit_from_process());
  EXPECT_TRUE(sample_.scheduler);
  EXPECT_FALSE(sample_.process || sample_.process_unreadable);
  vm_.executes(0);
  vm_.memory.memory.forget(vm_.process, 8);
  in_c(StagedVm::in_c_code(), vm_.jit_from_process());
  EXPECT_TRUE(sample_.process_unreadable);
  EXPECT_FALSE(sample_.process);
  vm_.memory.memory.forget(vm_.normal().sleep_flags, 1);
  EXPECT_FALSE(in_c(StagedVm::in_c_code(), vm_.jit_from_process()).scheduler)
      << "all of its fields or none";
}

// A garbage collection has freed the block between the two reads.
TEST_P(RemoteReaderTest, a_stack_that_cannot_be_read_is_cut) {
  vm_.executes(0);
  vm_.memory.memory.forget(vm_.hend - 8, 8);
  in_c(StagedVm::in_c_code(), vm_.jit_from_process());
  EXPECT_THAT(sample_.top_words, IsEmpty());
  EXPECT_THAT(sample_.bottom_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
  EXPECT_TRUE(in_jit({0xb1}, vm_.stop).stack_cut);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xb1));
}

TEST_P(RemoteReaderTest, a_stack_at_the_end_of_the_address_space_is_survived) {
  const auto& at = vm_.memory.layout.process;
  vm_.set(at.hend, ~0ULL - 7);
  vm_.set(at.stop, ~0ULL - 15);
  vm_.executes(0);
  in_c(StagedVm::in_c_code(), vm_.jit_from_process());
  EXPECT_THAT(sample_.top_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
}

TEST_P(RemoteReaderTest, other_threads_have_native_frames_only) {
  complete(vm_.c_registers(StagedVm::in_c_code()), {0, 0xdead}, nullptr);
  EXPECT_THAT(sample_.native, ElementsAre(StagedVm::in_c_code(), 0xdead));
  EXPECT_FALSE(sample_.scheduler || sample_.process || sample_.top.return_to);
}

TEST(LateReaderWithFramePointers, takes_them_from_where_they_are_live) {
  StagedVm vm("27", true);
  vm.set(vm.memory.layout.process.frame_pointer, 0x3333);
  vm.executes(0);
  RemoteReader reader(*vm.vm, *vm.native);
  ObservedThread sample;
  const Words words = {0, vm.jit_from_register()};
  reader.complete({.registers = StagedVm::registers(vm.jit_from_process(), vm.stop, 0x2222)},
                  &vm.normal(), sample);
  EXPECT_EQ(sample.top.frame_pointer, 0x2222u);
  sample.clear();
  reader.complete({.registers = vm.c_registers(StagedVm::in_c_code()),
                   .stack = std::as_bytes(std::span(words))},
                  &vm.normal(), sample);
  EXPECT_EQ(sample.top.frame_pointer, 0x3333u);
  EXPECT_THAT(sample.top_words, ElementsAreArray(vm.stack));
}

class InterpreterReadTest : public RemoteReaderTest {
 protected:
  const ObservedThread& interprets(os::Address i, os::Address e) {
    return complete(vm_.interpreting(i, e), {}, &vm_.normal());
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, InterpreterReadTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(InterpreterReadTest, the_process_is_that_of_the_scheduler_and_the_stack_is_at_the_register) {
  vm_.executes(0);
  interprets(0x5678, vm_.stop + 8);
  ASSERT_TRUE(sample_.process);
  EXPECT_EQ(sample_.process->address, vm_.process);
  EXPECT_EQ(sample_.top.instruction, 0x5678U);
  EXPECT_EQ(sample_.top_begin, vm_.stop + 8);
  EXPECT_THAT(sample_.top_words, ElementsAre(0xa1, 0xa2, 0xa3));
  EXPECT_THAT(sample_.native, IsEmpty());
  EXPECT_FALSE(sample_.stack_cut);
}

TEST_P(InterpreterReadTest, a_stack_pointer_of_another_process_is_a_cut) {
  vm_.executes(0);
  interprets(0x5678, vm_.hend + 8);
  EXPECT_EQ(sample_.top.instruction, 0x5678U);
  EXPECT_THAT(sample_.top_words, IsEmpty());
  EXPECT_TRUE(sample_.stack_cut);
}

TEST_P(InterpreterReadTest, between_two_processes_there_is_none) {
  interprets(0x5678, 0);
  EXPECT_FALSE(sample_.has_process());
  EXPECT_EQ(sample_.top.instruction, 0x5678U);
}

}  // namespace
}  // namespace beam_exporter::sampling
