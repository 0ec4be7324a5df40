// Of elf/return_address.h: code without rules, as the unwinder leaves it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "elf/call_before.h"
#include "elf/unwinder.h"
#include "unit/elf/bare_calls.h"
#include "unit/elf/own_sample.h"

namespace beam_exporter::elf {
namespace {

using Register = os::UserRegisters;

bool without_end(os::Address) { return false; }

// The return address of this call of it.
[[gnu::noinline]] const void* behind_a_call() { return __builtin_return_address(0); }

class BareCode : public OwnStackTest {
 protected:
  enum class By { call, jump, pointer, jumps };

  // Unwinds the stack of code without rules, and that of the function that has called it.
  [[gnu::noinline]] void look(By by, const void* left_over = nullptr) {
    static const auto taking = [](void* with) { take(*static_cast<OwnSample*>(with)); };
    static const auto volatile pointer = &bare_calls;
    sample_ = {};
    OwnSample caller;
    take(caller);
    if (by == By::call) bare_calls(taking, &sample_, left_over);
    if (by == By::jump) bare_jump(taking, &sample_, left_over);
    if (by == By::jumps) jumping_calls(taking, &sample_, left_over);
    if (by == By::pointer) pointer(taking, &sample_, left_over);
    callers_ = unwind(*objects_, caller.registers, {caller.registers[Register::rsp], caller.stack},
                      without_end)
                   .frames;
    found_ = unwound(sample_.stack);
  }

  NativeStack unwound(std::span<const std::byte> stack) {
    return unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], stack},
                  without_end);
  }

  bool is_bare(const NativeFrame& frame) {
    auto* object = objects_->at(frame.address);
    return object != nullptr && object->rules(frame.address - 1) == nullptr;
  }
  std::ptrdiff_t bare_frames() {
    return std::ranges::count_if(found_.frames, [&](const auto& frame) { return is_bare(frame); });
  }
  // Those of the callers of look(), as each of the two has found them.
  void expect_same_callers() {
    const auto first = std::ranges::find(callers_, callers_of_look(callers_), &NativeFrame::cfa);
    const auto same = std::ranges::find(found_.frames, first->cfa, &NativeFrame::cfa);
    ASSERT_NE(same, found_.frames.end());
    std::vector<os::Address> wanted, got;
    for (auto at = first + 1; at != callers_.end(); ++at) wanted.push_back(at->address);
    for (auto at = same + 1; at != found_.frames.end(); ++at) got.push_back(at->address);
    EXPECT_GT(wanted.size(), 5u);
    EXPECT_EQ(got, wanted);
  }
  static os::Address callers_of_look(const std::vector<NativeFrame>& frames) {
    return frames.at(1).cfa;  // take(), look()
  }

  std::vector<NativeFrame> callers_;
  NativeStack found_;
};

TEST_F(BareCode, is_left_by_the_calls_of_it) {
  look(By::call);
  EXPECT_EQ(bare_frames(), 2);
  expect_same_callers();
}

TEST_F(BareCode, is_left_where_another_function_of_it_was_called_that_jumped) {
  look(By::jump);
  EXPECT_EQ(bare_frames(), 1);
  expect_same_callers();
}

TEST_F(BareCode, is_left_by_a_call_of_some_function_where_no_other_leads_to_it) {
  look(By::pointer);
  EXPECT_EQ(bare_frames(), 2);
  expect_same_callers();
}

// erlang:system_time/0 reads the clock behind two jumps, a scheduler waits behind two others.
TEST_F(BareCode, is_left_also_where_its_caller_was_led_to_by_jumps) {
  look(By::jumps);
  EXPECT_EQ(bare_frames(), 2);
  expect_same_callers();
}

TEST_F(BareCode, an_old_return_address_of_a_call_of_other_code_is_passed_over) {
  look(By::call, behind_a_call());
  EXPECT_EQ(bare_frames(), 2);
  expect_same_callers();
}

TEST_F(BareCode, an_old_return_address_of_a_call_by_a_pointer_is_passed_over) {
  static const auto volatile pointer = &behind_a_call;
  const void* const left_over = pointer();
  look(By::pointer, left_over);
  const auto address = reinterpret_cast<os::Address>(left_over);
  EXPECT_EQ(call_before(*memory_, address).kind, CallBefore::Kind::by_pointer);
  EXPECT_EQ(bare_frames(), 2);
  expect_same_callers();
}

// Nothing outside of the guesses shows which of them is true.
TEST_F(BareCode, ends_the_stack_where_no_return_address_leads_on_to_its_end) {
  look(By::call);
  const auto bare = std::ranges::find_if(found_.frames, [&](const auto& f) { return is_bare(f); });
  const auto within = static_cast<std::size_t>((bare + 3)->cfa - sample_.registers[Register::rsp]);
  auto broken = sample_.stack;
  std::fill(broken.begin() + static_cast<std::ptrdiff_t>(within), broken.end(), std::byte{});
  const auto stack = unwound(broken);
  EXPECT_EQ(stack.end, UnwindEnd::no_rules);
  EXPECT_EQ(stack.frames.back().address, bare->address);
}

// What such a function has saved is nowhere told: better nothing than what it has left there.
TEST_F(BareCode, what_it_may_have_changed_is_forgotten) {
  look(By::call);
  const auto bare = std::ranges::find_if(found_.frames, [&](const auto& f) { return is_bare(f); });
  const auto caller = (bare + 2)->address;
  const auto stack =
      unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], sample_.stack},
             [&](os::Address address) { return address == caller; });
  ASSERT_EQ(stack.end, UnwindEnd::reached);
  EXPECT_EQ(stack.registers[Register::rsp], (bare + 1)->cfa);
  for (const auto lost :
       {Register::rbx, Register::rbp, Register::r12, Register::r13, Register::r14, Register::r15})
    EXPECT_EQ(stack.registers[lost], 0u) << lost;
}

TEST_F(BareCode, a_leaf_has_changed_nothing) {
  look(By::call);
  const auto bare = std::ranges::find_if(found_.frames, [&](const auto& f) { return is_bare(f); });
  std::array<os::Address, 2> words = {(bare + 2)->address, 0};
  os::UserRegisters registers;
  registers.value.fill(0x5555'5555'0000'0007);
  const auto function = &bare_calls;
  registers.value[Register::rip] = reinterpret_cast<os::Address>(function);
  registers.value[Register::rsp] = 0x7000'0000;
  const auto stack = unwind(*objects_, registers, {0x7000'0000, std::as_bytes(std::span(words))},
                            [&](os::Address address) { return address == words[0]; });
  ASSERT_EQ(stack.end, UnwindEnd::reached);
  EXPECT_EQ(stack.registers[Register::rbp], 0x5555'5555'0000'0007u);
  EXPECT_EQ(stack.registers[Register::rsp], 0x7000'0008u);
}

// musl's clone() has no .eh_frame that would say so.
TEST_F(BareCode, leads_to_the_end_of_the_thread) {
  const auto behind = &behind_first_function;
  const std::array<os::Address, 2> words = {reinterpret_cast<os::Address>(behind), 0};
  os::UserRegisters registers;
  const auto function = &bare_calls;
  registers.value[Register::rip] = reinterpret_cast<os::Address>(function);
  registers.value[Register::rsp] = 0x7000'0000;
  const auto stack =
      unwind(*objects_, registers, {0x7000'0000, std::as_bytes(std::span(words))}, without_end);
  EXPECT_EQ(stack.end, UnwindEnd::thread_begin);
  ASSERT_EQ(stack.frames.size(), 2u);
  EXPECT_EQ(stack.frames[1].address, words[0]);
}

TEST_F(BareCode, ends_the_stack_where_no_call_of_it_is_found) {
  look(By::call);
  const auto bare = std::ranges::find_if(found_.frames, [&](const auto& f) { return is_bare(f); });
  const auto below = static_cast<std::size_t>((bare - 1)->cfa - sample_.registers[Register::rsp]);
  const auto short_of_it = unwound(std::span(sample_.stack).first(below));
  EXPECT_EQ(short_of_it.end, UnwindEnd::no_rules);
  EXPECT_TRUE(is_bare(short_of_it.frames.back()));
}

TEST_F(BareCode, survives_any_stack) {
  look(By::call);
  for (unsigned seed = 0; seed < 100; ++seed) {
    auto damaged = sample_.stack;
    for (std::size_t at = seed % 41; at < damaged.size(); at += 41)
      damaged[at] ^= std::byte(seed + 1);
    EXPECT_LE(unwound(damaged).frames.size(), 256u);
  }
}

// Of a stripped library: what it exports has a size.
TEST_F(BareCode, has_the_name_of_its_symbol_as_far_as_that_reaches) {
  look(By::call);
  const auto function = &bare_calls;
  const auto place = reinterpret_cast<os::Address>(function);
  auto* object = objects_->at(place);
  ASSERT_NE(object, nullptr);
  const auto* named = object->symbols().beginning_at(place - object->bias);
  ASSERT_NE(named, nullptr);
  EXPECT_EQ(named->names, std::vector<std::string>{"bare_calls"});
  const auto bare = std::ranges::find_if(found_.frames, [&](const auto& f) { return is_bare(f); });
  EXPECT_EQ(object->symbols().at((bare + 1)->address - 1 - object->bias), named);
  EXPECT_EQ(object->symbols().at(bare->address - 1 - object->bias), nullptr);  // static
}

}  // namespace
}  // namespace beam_exporter::elf
