#include "beam/layout_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tests::FakeVm;

class LayoutCheckTest : public tests::EachRelease {
 protected:
  void SetUp() override {
    auto attached = vm.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
  }
  std::vector<std::string> failed() {
    std::vector<std::string> names;
    for (const auto& result : check_layout(*attached_)) {
      EXPECT_FALSE(result.detail.empty());
      if (!result.ok) names.push_back(result.name);
    }
    return names;
  }
  std::unique_ptr<VirtualMachine> attached_;
};
INSTANTIATE_TEST_SUITE_P(Releases, LayoutCheckTest, tests::each_release, tests::release_name);

TEST_P(LayoutCheckTest, all_pass_on_a_consistent_vm) {
  const auto results = check_layout(*attached_);
  for (const auto& result : results) EXPECT_TRUE(result.ok) << result.name << ": " << result.detail;
  EXPECT_TRUE(all_ok(results));
  EXPECT_FALSE(all_ok({{"one", true, ""}, {"two", false, ""}}));
}

TEST_P(LayoutCheckTest, atoms) {
  const auto object = vm.atom_object(vm.atom("true"));
  vm.memory.put(object, vm.layout.atom.length, 3);
  EXPECT_THAT(failed(), ElementsAre("atoms"));
}

TEST_P(LayoutCheckTest, schedulers_without_sleep_info) {
  vm.memory.put(vm.schedulers[3], vm.layout.scheduler_data.ssi, 0xdead0000);
  EXPECT_THAT(failed(), ElementsAre("schedulers"));
}

TEST_P(LayoutCheckTest, schedulers_without_run_queue) {
  vm.memory.put(vm.schedulers[0], vm.layout.scheduler_data.run_queue, 0);
  EXPECT_THAT(failed(), ElementsAre("schedulers"));
}

TEST_P(LayoutCheckTest, processes_of_other_slots) {
  for (std::uint32_t slot = 8; slot < 12; ++slot) vm.set_slot(slot, vm.processes[0]);
  EXPECT_THAT(failed(), ElementsAre("processes"));
}

TEST_P(LayoutCheckTest, processes_counted_otherwise) {
  vm.memory.put(FakeVm::process_table, vm.layout.process_table.count, 900);
  EXPECT_THAT(failed(), ElementsAre("processes"));
}

TEST_P(LayoutCheckTest, process_table_unreadable) {
  vm.memory.put(FakeVm::process_table, vm.layout.process_table.max, 3);
  EXPECT_THAT(failed(), ElementsAre("processes", "process_fields"));
}

TEST_P(LayoutCheckTest, process_heaps_out_of_the_map) {
  for (const auto process : vm.processes) {
    vm.memory.put(process, vm.layout.process.heap, 0x1000);
    vm.memory.put(process, vm.layout.process.htop, 0x1000);
  }
  EXPECT_THAT(failed(), ElementsAre("process_fields"));
}

TEST_P(LayoutCheckTest, processes_without_a_named_initial_call) {
  for (const auto process : vm.processes)
    vm.memory.put(process, vm.layout.process.initial_function, 0xf);
  EXPECT_THAT(failed(), ElementsAre("process_fields"));
}

TEST_P(LayoutCheckTest, a_module_that_does_not_decode) {
  const auto demo = vm.load({"demo", {{"f", 0}}});
  vm.memory.put(vm.function_start(demo, 0), vm.layout.code_info.arity, 999);
  EXPECT_THAT(failed(), ElementsAre("code_ranges"));
}

TEST_P(LayoutCheckTest, code_that_cannot_be_refreshed) {
  vm.set_active_index(5);
  EXPECT_THAT(failed(), Contains("code_ranges"));
}

TEST_P(LayoutCheckTest, modules_under_other_names) {
  vm.purge(vm.init);
  vm.load({"inti", {{"boot", 1}}});
  EXPECT_THAT(failed(), ElementsAre("modules"));
}

class InterpreterCheckTest : public LayoutCheckTest {};
INSTANTIATE_TEST_SUITE_P(Releases, InterpreterCheckTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(InterpreterCheckTest, its_code_must_prove_its_registers) {
  vm.memory.put_bytes(tests::FakeVm::interpreter, std::vector<std::byte>(1024, std::byte{0x90}));
  EXPECT_THAT(failed(), ElementsAre("interpreter"));
}

class JitLayoutCheckTest : public LayoutCheckTest {};
INSTANTIATE_TEST_SUITE_P(Releases, JitLayoutCheckTest, tests::each_jit_release,
                         tests::release_name);

// Attached anew: a scheduler's runtime stack is taken once.
TEST_P(JitLayoutCheckTest, runtime_stacks_out_of_the_map) {
  vm.memory.put(vm.schedulers[1], vm.layout.scheduler_data.registers, 0x1000);
  SetUp();
  EXPECT_THAT(failed(), ElementsAre("runtime_stacks"));
}

TEST_P(JitLayoutCheckTest, runtime_stacks_not_aligned) {
  const auto at = vm.layout.scheduler_data.registers.at(vm.schedulers[0]);
  vm.memory.put(at, *vm.memory.value<os::Address>(at) + 8);
  SetUp();
  EXPECT_THAT(failed(), ElementsAre("runtime_stacks"));
}

TEST_P(LayoutCheckTest, memory_that_is_gone_fails_every_check) {
  attached_.reset();
  SetUp();
  vm.memory.before_read = [this](os::Address from, std::size_t bytes) {
    vm.memory.forget(from, bytes);
  };
  std::vector<std::string> all = {"atoms",          "schedulers",  "processes",
                                  "process_fields", "code_ranges", "modules"};
  if (vm.layout.interpreted()) all.insert(all.begin() + 2, "interpreter");
  EXPECT_THAT(failed(), testing::ElementsAreArray(all));
}

}  // namespace
}  // namespace beam_exporter::beam
