#include "beam/code/stack_walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using std::chrono::nanoseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr nanoseconds when{1000};
constexpr os::Address stack_begin = 0x7f1234560000;
constexpr std::uint64_t nil = 0x3b, small = 0x2af;

class StackWalkerTest : public tests::EachRelease {
 protected:
  void SetUp() override { ASSERT_TRUE(code.refresh()); }

  // A return address into function k of demo, proven by a call before it.
  os::Address call_in(std::size_t function) {
    return vm.place_call(vm.function_start(demo, function) + 64);
  }
  std::vector<std::string> names(const ErlangStack& stack) {
    std::vector<std::string> all;
    for (const auto& frame : stack.frames) all.push_back(*atoms.name(frame.mfa.function));
    return all;
  }
  ErlangStack walk(const StackTop& top, const std::vector<std::uint64_t>& words) {
    return walk_stack(code, top, {{stack_begin, words}, {}}, when);
  }

  const os::AddressRange demo =
      vm.load({"demo", {{"top", 0}, {"middle", 1}, {"bottom", 2}, {"spare", 0}}});
  Atoms atoms{vm.layout, vm.memory, tests::FakeVm::atom_table};
  CodeIndex code{vm.layout, vm.memory, vm.code_place(), vm.clock()};
};
INSTANTIATE_TEST_SUITE_P(Releases, StackWalkerTest, tests::each_release, tests::release_name);

class JitStackWalkerTest : public StackWalkerTest {};
INSTANTIATE_TEST_SUITE_P(Releases, JitStackWalkerTest, tests::each_jit_release,
                         tests::release_name);

TEST_P(StackWalkerTest, scanning_finds_the_return_addresses_among_terms) {
  const auto stack =
      walk({.instruction = vm.function_start(demo, 0) + 50},
           {nil, small, call_in(1), nil, vm.atom("ok"), stack_begin | 1, call_in(2), nil});
  EXPECT_THAT(names(stack), ElementsAre("top", "middle", "bottom"));
  EXPECT_FALSE(stack.truncated());
  EXPECT_EQ(stack.frames[0].address, vm.function_start(demo, 0) + 50);
  EXPECT_EQ(stack.frames[1].address, call_in(1) - 1) << "of the call, not behind it";
}

TEST_P(JitStackWalkerTest, words_that_only_look_like_return_addresses_are_no_frames) {
  const os::Address inside = vm.function_start(demo, 3) + 48;  // behind no call
  const auto stack =
      walk({}, {inside, 0, call_in(1), 0x7f1234560008, demo.end + 4096, call_in(2) | 1});
  EXPECT_THAT(names(stack), ElementsAre("middle"));
}

TEST_P(StackWalkerTest, without_a_running_instruction_the_c_codes_return_address_is_the_top) {
  const auto stack = walk({.return_to = call_in(0)}, {call_in(1)});
  EXPECT_THAT(names(stack), ElementsAre("top", "middle"));
}

TEST_P(StackWalkerTest, an_empty_stack_has_no_frames) {
  EXPECT_THAT(walk({}, {}).frames, IsEmpty());
  EXPECT_THAT(walk({.frame_pointer = stack_begin}, {}).frames, IsEmpty());
}

TEST_P(StackWalkerTest, frame_pointers_are_followed_past_stale_return_addresses) {
  // Frame at word 2: {caller's frame at word 6, return address}; word 4 is a stale return address.
  const auto stack = walk({.frame_pointer = stack_begin + 16},
                          {nil, call_in(3), stack_begin + 48, call_in(1), call_in(3), nil,
                           stack_begin + 80, call_in(2), nil, nil});
  EXPECT_THAT(names(stack), ElementsAre("middle", "bottom"));
}

TEST_P(StackWalkerTest, scanning_takes_over_where_the_chain_breaks) {
  for (const std::uint64_t broken :
       {std::uint64_t{0}, stack_begin, stack_begin + 16, stack_begin + 50, ~std::uint64_t{0},
        stack_begin + 48, stack_begin + (std::uint64_t{1} << 30)}) {
    const auto stack = walk({.frame_pointer = stack_begin + 16},
                            {nil, call_in(3), broken, call_in(1), nil, call_in(2), nil});
    EXPECT_THAT(names(stack), ElementsAre("middle", "bottom")) << std::hex << broken;
  }
}

TEST_P(StackWalkerTest, a_frame_pointer_elsewhere_means_scanning) {
  const std::vector<std::uint64_t> words = {nil, call_in(1), nil, call_in(2)};
  for (const os::Address elsewhere :
       {stack_begin - 8, stack_begin + 3, stack_begin + 8 * words.size(), ~os::Address{7}})
    EXPECT_THAT(names(walk({.frame_pointer = elsewhere}, words)), ElementsAre("middle", "bottom"));
}

TEST_P(StackWalkerTest, two_windows_with_a_gap_are_truncated) {
  const std::vector<std::uint64_t> top = {call_in(0), nil}, bottom = {nil, call_in(2)};
  const auto gap = walk_stack(code, {}, {{stack_begin, top}, {stack_begin + 4096, bottom}}, when);
  EXPECT_THAT(names(gap), ElementsAre("top", "bottom"));
  EXPECT_TRUE(gap.truncated());
  const auto adjacent =
      walk_stack(code, {}, {{stack_begin, top}, {stack_begin + 16, bottom}}, when);
  EXPECT_THAT(names(adjacent), ElementsAre("top", "bottom"));
  EXPECT_FALSE(adjacent.truncated());
}

TEST_P(JitStackWalkerTest, tells_what_the_innermost_address_led_to) {
  const std::vector<std::uint64_t> words = {call_in(1)};
  const os::Address inside = vm.function_start(demo, 3) + 48;  // behind no call
  EXPECT_EQ(walk({.instruction = inside}, words).top, CodeMiss::none);
  EXPECT_EQ(walk({.return_to = call_in(0)}, words).top, CodeMiss::none);
  EXPECT_EQ(walk({.return_to = inside}, words).top, CodeMiss::no_call);
  EXPECT_EQ(walk({.instruction = demo.end + 4096}, words).top, CodeMiss::not_code);
  EXPECT_EQ(walk({.return_to = demo.end + 4096}, words).top, CodeMiss::not_code);
  EXPECT_EQ(walk({}, words).top, std::nullopt);
  EXPECT_EQ(walk_stack(code, {.return_to = call_in(0)}, {}, nanoseconds(999)).top,
            CodeMiss::changed);
}

TEST_P(StackWalkerTest, code_newer_than_the_stack_names_nothing) {
  EXPECT_THAT(walk_stack(code, {.instruction = vm.function_start(demo, 0) + 50},
                         {{stack_begin, {}}, {}}, nanoseconds(999))
                  .frames,
              IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::beam
