#include "attribution/attributor.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "own_code.h"

namespace beam_exporter::attribution {
namespace {

class AttributorTest : public testing::Test {
 protected:
  // Of normal scheduler 1, which runs the process in C code that JIT code called.
  sampling::ObservedThread sample(std::vector<os::Address> native) {
    sampling::ObservedThread out;
    out.role = {beam::ThreadKind::normal, 1};
    out.time = own_.memory.now = std::chrono::nanoseconds(5000);
    out.scheduler = sampling::SchedulerFields{.current_process = own_.process};
    out.process = beam::read_process(own_.memory.layout, own_.memory.memory, own_.process);
    EXPECT_TRUE(out.process);
    out.native = std::move(native);
    out.native.push_back(jit_);
    out.top.return_to = jit_;
    return out;
  }
  Attribution attribute(const sampling::ObservedThread& sample) {
    EXPECT_TRUE(own_.vm->code().refresh());
    return attributor_.attribute(sample, true);
  }

  OwnCode own_;
  Attributor attributor_{*own_.vm, *own_.objects};
  const beam::Mfa run_{own_.memory.atom("work"), own_.memory.atom("run"), 1};
  const os::Address shared_code_ = tests::FakeVm::ranges;  // in no module
  const os::Address jit_ = own_.memory.place_call(own_.memory.function_start(own_.work, 0) +
                                                  own_.memory.layout.code_info.size + 16);
};

TEST_F(AttributorTest, the_c_frames_tell_the_state_and_the_erlang_stack_the_function) {
  attributor_.native().blame({"copy_struct", "garbage_collect"});
  const auto collecting = attribute(sample({OwnCode::inside(erts_garbage_collect)}));
  EXPECT_EQ(collecting.state, State::gc);
  EXPECT_EQ(collecting.self, run_);
  EXPECT_EQ(collecting.families, 0b10U);
  // What it moves by the means of copying was the process's before.
  const auto copying =
      attribute(sample({OwnCode::inside(copy_struct_x), OwnCode::inside(erts_garbage_collect)}));
  EXPECT_EQ(copying.state, State::gc);
  EXPECT_EQ(copying.families, 0b10U);
  EXPECT_EQ(attribute(sample({OwnCode::inside(copy_struct_x)})).families, 0b01U);
}

TEST_F(AttributorTest, the_code_that_called_tells_which_bif_has_jumped_to_a_common_function) {
  auto seen = sample({own_.inside_static("shared_helper")});
  EXPECT_EQ(attribute(seen).state, State::bif);
  EXPECT_EQ(attribute(seen).bif, std::nullopt);
  seen.top_words = {jit_};
  EXPECT_EQ(attribute(seen).bif, std::nullopt) << "no address of a BIF before the call";
  own_.memory.memory.put(jit_ - 24, OwnCode::begin(third_bif));
  const beam::Mfa third{own_.memory.atom("shop"), own_.memory.atom("third"), 1};
  EXPECT_EQ(attribute(seen).bif, third);
  EXPECT_EQ(attribute(seen).state, State::bif);
  // One that only one BIF calls is told by its frames.
  const beam::Mfa first{own_.memory.atom("shop"), own_.memory.atom("first"), 1};
  EXPECT_EQ(attribute(sample({own_.inside_static("first_helper")})).bif, first);
}

TEST_F(AttributorTest, frames_that_lead_nowhere_leave_what_the_stack_tells) {
  auto lost = sample({OwnCode::inside(std::qsort)});
  lost.native.pop_back();
  lost.native_end = elf::UnwindEnd::no_rules;
  EXPECT_EQ(attribute(lost).self, run_);
  lost.top = {};
  lost.process.reset();
  lost.process_unreadable = true;
  EXPECT_EQ(attribute(lost).unattributed, Unattributed::unknown_native_code);
}

TEST_F(AttributorTest, assembly_of_a_nifs_library_is_told_by_the_scheduler) {
  // As libcrypto's: no frame leads back to who called it.
  auto hashing = sample({OwnCode::inside(std::qsort)});
  hashing.native.pop_back();
  hashing.native_end = elf::UnwindEnd::no_rules;
  EXPECT_NE(attribute(hashing).state, State::nif);
  hashing.scheduler->current_nif = 0x7f0000001000;
  const auto told = attribute(hashing);
  EXPECT_EQ(told.state, State::nif);
  EXPECT_TRUE(told.in_nif);
  EXPECT_EQ(told.basic_state, State::emulator);
  EXPECT_EQ(told.self, run_);
  // In the VM's own code it proves nothing.
  hashing.native = {OwnCode::inside(helper_of_copying)};
  EXPECT_NE(attribute(hashing).state, State::nif);
}

TEST_F(AttributorTest, a_thread_without_a_process_is_in_other) {
  sampling::ObservedThread idle;
  idle.role = {beam::ThreadKind::async, 1};
  idle.time = own_.memory.now;
  ASSERT_TRUE(own_.vm->code().refresh());
  for (const bool code_is_known : {true, false}) {
    const auto meaning = attributor_.attribute(idle, code_is_known);
    EXPECT_EQ(meaning.state, State::other);
    EXPECT_EQ(meaning.self, std::nullopt);
    EXPECT_TRUE(meaning.inclusive.empty());
    EXPECT_EQ(meaning.unattributed, std::nullopt);
  }
}

TEST_F(AttributorTest, code_that_is_not_known_leaves_the_state) {
  auto seen = sample({});
  seen.native.clear();
  seen.top = {.instruction = jit_ - 4};
  seen.top_words = {jit_};
  EXPECT_EQ(attribute(seen).self, run_);
  const auto meaning = attributor_.attribute(seen, false);
  EXPECT_EQ(meaning.state, State::emulator);
  EXPECT_EQ(meaning.self, std::nullopt);
  EXPECT_TRUE(meaning.inclusive.empty());
  EXPECT_EQ(meaning.unattributed, Unattributed::code_changed);
}

TEST_F(AttributorTest, no_name_from_code_that_is_not_known) {
  const auto meaning = attributor_.attribute(sample({OwnCode::inside(helper_of_copying)}), false);
  EXPECT_EQ(meaning.self, std::nullopt);
  EXPECT_EQ(meaning.unattributed, Unattributed::code_changed);
  // A state of its own says enough.
  const auto collecting =
      attributor_.attribute(sample({OwnCode::inside(erts_garbage_collect)}), false);
  EXPECT_EQ(collecting.state, State::gc);
  EXPECT_EQ(collecting.unattributed, std::nullopt);
}

TEST_F(AttributorTest, what_the_scheduler_does_for_a_process_is_none_of_its_functions) {
  attributor_.native().blame({"copy_struct", "garbage_collect"});
  constexpr std::uint32_t running = 1u << 15, running_sys = 1u << 21;
  auto seen = sample({OwnCode::inside(copy_struct_x), OwnCode::inside(erts_schedule)});
  auto meaning = attribute(seen);
  EXPECT_EQ(meaning.pseudo, PseudoFunction::scheduling);
  EXPECT_EQ(meaning.self, std::nullopt);
  EXPECT_TRUE(meaning.inclusive.empty());
  EXPECT_EQ(meaning.unattributed, std::nullopt);
  EXPECT_TRUE(meaning.for_process);
  EXPECT_EQ(meaning.state, State::emulator);
  seen.process->state = running_sys;
  meaning = attribute(seen);
  EXPECT_EQ(meaning.pseudo, PseudoFunction::signals);
  EXPECT_EQ(meaning.families, 0b01U);
  // About to run its own code it is collected for its own garbage.
  seen = sample({OwnCode::inside(erts_garbage_collect), OwnCode::inside(erts_schedule)});
  EXPECT_EQ(attribute(seen).pseudo, PseudoFunction::signals);
  seen.process->state = running;
  seen.process->i = jit_;
  EXPECT_EQ(attribute(seen).pseudo, std::nullopt);
  EXPECT_EQ(attribute(seen).self, run_);
}

TEST_F(AttributorTest, a_process_without_any_function_begins_or_ends) {
  auto seen = sample({});
  seen.native.clear();
  seen.top = {.instruction = shared_code_};
  seen.process->i = 0;
  EXPECT_EQ(attribute(seen).pseudo, PseudoFunction::scheduling);
  seen.process->state = 1u << 11;  // ERTS_PSFLG_EXITING
  EXPECT_EQ(attribute(seen).pseudo, PseudoFunction::exit);
  // What was not seen is not known.
  seen.stack_cut = true;
  EXPECT_EQ(attribute(seen).pseudo, std::nullopt);
  EXPECT_EQ(attribute(seen).unattributed, Unattributed::no_function);
  // Nor is it where the process was scheduled out, if nothing tells where it is.
  auto unseen = seen;
  unseen.top = {};
  unseen.process->i = jit_;
  EXPECT_EQ(attribute(unseen).self, std::nullopt);
  // After the end of one, before the next.
  auto between = seen;
  between.stack_cut = false;
  between.process.reset();
  EXPECT_EQ(attribute(between).pseudo, PseudoFunction::exit);
  between.process_unreadable = true;
  EXPECT_EQ(attribute(between).pseudo, std::nullopt);
}

TEST_F(AttributorTest, a_scheduler_without_a_process_is_nobodys) {
  auto scheduling = sample({OwnCode::inside(erts_schedule)});
  scheduling.process.reset();
  scheduling.scheduler->current_process = 0;
  scheduling.top = {};
  const auto meaning = attribute(scheduling);
  EXPECT_FALSE(meaning.for_process);
  EXPECT_EQ(meaning.self, std::nullopt);
  EXPECT_EQ(meaning.unattributed, std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::attribution
