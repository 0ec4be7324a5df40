#include "sampling/ebpf/thread_place.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/each_release.h"
#include "unit/sampling/staged_vm.h"

namespace beam_exporter::sampling {
namespace {

using tests::Register;
using tests::StagedVm;

TEST(ThreadPlace, OfTheJitTheStackIsKnownAtOnce) {
  const StagedVm vm("27");
  const auto normal = thread_place(*vm.vm, *vm.native, ::getpid(), &vm.normal());
  EXPECT_EQ(normal.role, unsigned{role_normal});
  EXPECT_EQ(normal.scheduler_data, vm.normal().data);
  EXPECT_EQ(normal.runtime_stack, vm.normal().runtime_stack);
  EXPECT_EQ(normal.stack_word, 0U);
  EXPECT_EQ(normal.frame_end, 0U);
  EXPECT_EQ(thread_place(*vm.vm, *vm.native, ::getpid(), &vm.dirty()).role, unsigned{role_dirty});
  const auto other = thread_place(*vm.vm, *vm.native, ::getpid(), nullptr);
  EXPECT_EQ(other.role, unsigned{role_other});
  EXPECT_EQ(other.runtime_stack, 0U);
}

class FramePlaceTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Releases, FramePlaceTest, tests::each_interpreter, tests::release_name);

TEST_P(FramePlaceTest, of_an_interpreter_its_frame_is_known_when_a_process_has_proven_it) {
  StagedVm vm(GetParam(), false, {.stack = {{Register::rsp, 16}}});
  const auto before = thread_place(*vm.vm, *vm.native, ::getpid(), &vm.normal());
  EXPECT_EQ(before.role, unsigned{role_interpreter});
  EXPECT_EQ(before.runtime_stack, 0U);

  const os::Address instruction = vm.memory.erlang.begin + 0x80;
  vm.memory.memory.put(instruction, tests::FakeVm::interpreter + 0x40);
  const tests::Words frame = {0, 0, vm.stop};
  ObservedThread seen;
  seen.role = vm.normal().role;
  seen.process = beam::read_process(vm.memory.layout, vm.memory.memory, vm.process);
  ASSERT_TRUE(
      vm.native->interpreter()->find(seen, vm.interpreting(instruction, 0),
                                     {vm.runtime_stack(), std::as_bytes(std::span(frame))}));
  const auto after = thread_place(*vm.vm, *vm.native, ::getpid(), &vm.normal());
  EXPECT_EQ(after.runtime_stack, vm.runtime_stack());
  EXPECT_EQ(after.stack_word, vm.runtime_stack() + 16);
  EXPECT_EQ(after.frame_end, vm.runtime_stack() + 24);
}

}  // namespace
}  // namespace beam_exporter::sampling
