#include "elf/return_address.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "elf/unwinder.h"
#include "unit/elf/framed_calls.h"
#include "unit/elf/own_sample.h"

namespace beam_exporter::elf {
namespace {

using Register = os::UserRegisters;

bool nowhere(os::Address) { return false; }

class LostFramePointer : public OwnStackTest {
 protected:
  void SetUp() override {
    OwnStackTest::SetUp();
    look(nullptr);
  }

  void look(const void* left_over, bool jump = false) {
    static const auto taking = [](void* with) { take(*static_cast<OwnSample*>(with)); };
    sample_ = {};
    if (jump)
      framed_jump(taking, &sample_, left_over);
    else
      framed_calls(taking, &sample_, left_over);
    all_ = unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], sample_.stack},
                  nowhere);
    framed_.clear();
    for (std::size_t k = 1; k < all_.frames.size(); ++k) {
      auto* object = objects_->at(all_.frames[k].address);
      if (object == nullptr || object != objects_->at(library())) continue;
      const auto* rule = object->frames->at(all_.frames[k].address - 1 - object->bias);
      if (rule != nullptr && rule->cfa_register == Register::rbp) framed_.push_back(k);
    }
  }

  static os::Address library() {
    const auto function = &framed_calls;
    return reinterpret_cast<os::Address>(function);
  }

  os::Address stack_pointer(std::size_t frame) const { return all_.frames[frame - 1].cfa; }

  StackBytes stack(std::size_t frame) const {
    const auto below = stack_pointer(frame) - sample_.registers[Register::rsp];
    return {stack_pointer(frame), std::span(sample_.stack).subspan(below)};
  }

  // As if the thread waited in that frame: no register but rip and rsp is known.
  NativeStack waiting_in(std::size_t frame, const StackBytes& bytes) {
    os::UserRegisters registers;
    registers.value.fill(0x5555'5555'0000'0007);
    registers.value[Register::rip] = all_.frames[frame].address;
    registers.value[Register::rsp] = stack_pointer(frame);
    return unwind(*objects_, registers, bytes, nowhere, KnownRegisters::only_place);
  }

  static std::vector<os::Address> addresses(const NativeStack& stack, std::size_t from) {
    std::vector<os::Address> out;
    for (std::size_t k = from; k < stack.frames.size(); ++k) out.push_back(stack.frames[k].address);
    return out;
  }

  NativeStack all_;
  // The frames of the library: called by a pointer, directly, from here.
  std::vector<std::size_t> framed_;
};

TEST_F(LostFramePointer, IsFoundInEachFrameByItsReturnAddress) {
  ASSERT_EQ(framed_.size(), 3u);
  for (const std::size_t frame : framed_)
    EXPECT_EQ(addresses(waiting_in(frame, stack(frame)), 0), addresses(all_, frame)) << frame;
}

TEST_F(LostFramePointer, IsFoundWhereAFunctionWasCalledThatJumpedToThisOne) {
  look(nullptr, true);
  ASSERT_EQ(framed_.size(), 2u);
  for (const std::size_t frame : framed_)
    EXPECT_EQ(addresses(waiting_in(frame, stack(frame)), 0), addresses(all_, frame)) << frame;
}

TEST_F(LostFramePointer, AnOldReturnAddressOfAnotherCallIsPassedOver) {
  // The call of framed_calls() by this test: a direct call, of another function.
  const os::Address call_of_another = all_.frames[framed_.back() + 1].address;
  look(reinterpret_cast<const void*>(call_of_another));
  ASSERT_EQ(framed_.size(), 3u);
  const std::size_t frame = framed_.front();
  const auto words = stack(frame);
  bool is_there = false;
  for (os::Address at = stack_pointer(frame); at < stack_pointer(frame) + 128; at += 8)
    is_there |= words.word(at) == call_of_another;
  ASSERT_TRUE(is_there);
  EXPECT_EQ(addresses(waiting_in(frame, words), 0), addresses(all_, frame));
}

TEST_F(LostFramePointer, EndsTheStackWhereNoCallIsFound) {
  const std::size_t frame = framed_.front();
  std::vector<std::byte> empty(256);
  const auto alone = waiting_in(frame, {stack_pointer(frame), empty});
  EXPECT_EQ(alone.frames.size(), 1u);
  EXPECT_EQ(alone.end, UnwindEnd::no_stack);
  const auto nothing = waiting_in(frame, {stack_pointer(frame), {}});
  EXPECT_EQ(nothing.frames.size(), 1u);
  EXPECT_EQ(nothing.end, UnwindEnd::no_stack);
}

TEST_F(LostFramePointer, SurvivesAnyStack) {
  for (const std::size_t frame : framed_) {
    const auto bytes = stack(frame).bytes;
    for (unsigned seed = 0; seed < 100; ++seed) {
      std::vector<std::byte> damaged(bytes.begin(), bytes.end());
      for (std::size_t at = seed % 41; at < damaged.size(); at += 41)
        damaged[at] ^= std::byte(seed + 1);
      EXPECT_LE(waiting_in(frame, {stack_pointer(frame), damaged}).frames.size(), 256u);
    }
  }
}

}  // namespace
}  // namespace beam_exporter::elf
