#include "elf/unwinder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/elf/computed_frames.h"
#include "unit/elf/own_sample.h"

namespace beam_exporter::elf {
namespace {

using Register = os::UserRegisters;

[[gnu::noinline]] int deeper(int depth, OwnSample& sample) {
  volatile char some_room[40] = {};
  if (depth == 0)
    take(sample);
  else
    deeper(depth - 1, sample);
  return some_room[0] + depth;
}

class Unwinder : public OwnStackTest {
 protected:
  void SetUp() override {
    OwnStackTest::SetUp();
    deeper(10, sample_);
  }
  NativeStack unwind_all(std::span<const std::byte> stack) {
    return unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], stack},
                  [](os::Address) { return false; });
  }
};

TEST_F(Unwinder, FindsTheCallersThatGlibcFinds) {
  const auto stack = unwind_all(sample_.stack);
  std::vector<os::Address> ours;
  for (std::size_t k = 1; k < stack.frames.size(); ++k) ours.push_back(stack.frames[k].address);
  constexpr std::size_t compared = 14;
  ASSERT_GE(ours.size(), compared);
  ours.resize(compared);
  // A sanitizer's own backtrace() is one frame more, further in.
  const auto found = std::ranges::search(sample_.callers, ours);
  EXPECT_FALSE(found.empty());
  EXPECT_LE(found.begin() - sample_.callers.begin(), 1);
}

TEST_F(Unwinder, leaves_frames_that_are_aligned) {
  static const auto taking = [](void* with) { take(*static_cast<OwnSample*>(with)); };
  OwnSample here;
  take(here);
  const os::Address our_stack_pointer =
      unwind(*objects_, here.registers, {here.registers[Register::rsp], here.stack},
             [](os::Address) { return false; })
          .frames.front()
          .cfa;
  for (const auto aligned : {&aligned_by_hand, &aligned_by_gcc}) {
    sample_ = {};
    aligned(taking, &sample_);
    // glibc evaluates the expressions too, by libgcc.
    const auto at = std::ranges::find_if(sample_.callers, [&](os::Address address) {
      return objects_->at(address) == objects_->at(reinterpret_cast<os::Address>(aligned));
    });
    ASSERT_NE(at, sample_.callers.end());
    const os::Address us = *(at + 1);
    const auto stack =
        unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], sample_.stack},
               [&](os::Address address) { return address == us; });
    EXPECT_EQ(stack.end, UnwindEnd::reached);
    EXPECT_EQ(stack.registers[Register::rsp], our_stack_pointer);
    for (const auto changed : {Register::rbx, Register::rbp, Register::r12})
      EXPECT_NE(stack.registers[changed], 0x5555u) << changed;
  }
}

TEST_F(Unwinder, StopsWhereItIsTold) {
  const os::Address wanted = sample_.callers.at(5);
  const auto stack =
      unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], sample_.stack},
             [&](os::Address address) { return address == wanted; });
  EXPECT_EQ(stack.end, UnwindEnd::reached);
  EXPECT_EQ(stack.frames.back().address, wanted);
  // Frames grow upwards, each beginning where the one before ended.
  for (std::size_t k = 1; k + 1 < stack.frames.size(); ++k)
    EXPECT_GT(stack.frames[k].cfa, stack.frames[k - 1].cfa);
  EXPECT_EQ(stack.registers[Register::rsp], stack.frames[stack.frames.size() - 2].cfa);
}

TEST_F(Unwinder, LooksAtTheCopiedBytesOnly) {
  const auto stack = unwind_all(std::span(sample_.stack).first(64));
  EXPECT_EQ(stack.end, UnwindEnd::no_stack);
  EXPECT_LT(stack.frames.size(), 10u);
}

TEST_F(Unwinder, SurvivesAnyStack) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    auto damaged = sample_.stack;
    for (std::size_t at = seed % 97; at < damaged.size(); at += 97)
      damaged[at] ^= std::byte(seed + 1);
    EXPECT_LE(unwind_all(damaged).frames.size(), 256u);
  }
}

TEST_F(Unwinder, HasNoRulesOutsideOfEveryFile) {
  auto registers = sample_.registers;
  registers.value[Register::rip] = reinterpret_cast<os::Address>(&registers);
  const auto stack = unwind(*objects_, registers, {registers[Register::rsp], sample_.stack},
                            [](os::Address) { return false; });
  EXPECT_EQ(stack.end, UnwindEnd::no_rules);
  EXPECT_EQ(stack.frames.size(), 1u);
}

}  // namespace
}  // namespace beam_exporter::elf
