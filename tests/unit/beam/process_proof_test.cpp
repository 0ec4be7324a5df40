#include "beam/process_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using ::testing::ElementsAre;
using tests::FakeVm;

// A VM that changes before each read, as a busy one does.
class ProcessProofTest : public tests::EachRelease {
 protected:
  void SetUp() override {
    for (int k = 0; k < 5; ++k) vm.spawn("demo", "start", 0);
    auto attached = vm.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
  }
  std::vector<bool> proven() {
    std::vector<bool> ok;
    for (const auto& result : prove_processes(*attached_)) ok.push_back(result.ok);
    return ok;
  }
  void when_read(std::function<void(os::Address)> happens) {
    vm.memory.before_read = [happens](os::Address from, std::size_t) { happens(from); };
  }
  void count(std::uint32_t processes) {
    vm.memory.put(FakeVm::process_table, vm.layout.process_table.count, processes);
  }

  const ProcessLayout& at = vm.layout.process;
  std::unique_ptr<VirtualMachine> attached_;
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessProofTest, tests::each_release, tests::release_name);

TEST_P(ProcessProofTest, a_vm_that_stands_still) { EXPECT_THAT(proven(), ElementsAre(true, true)); }

TEST_P(ProcessProofTest, of_a_process_that_ends_meanwhile_nothing_is_claimed) {
  const auto ends = vm.processes[7];
  when_read([=, this](os::Address from) {
    if (from != ends) return;
    vm.set_slot(7, 0);
    vm.memory.put(ends, at.id, 0);
    count(7);
  });
  EXPECT_THAT(proven(), ElementsAre(true, true));
}

TEST_P(ProcessProofTest, of_a_heap_that_moves_meanwhile_nothing_is_claimed) {
  // Its end is that of the old heap at one read, of the new one at the next.
  const auto collects = vm.processes[7];
  os::Address end = 0x1000;
  when_read([=, this](os::Address from) mutable {
    if (from == collects) vm.memory.put(collects, at.hend, end ^= 0x3000);
  });
  EXPECT_THAT(proven(), ElementsAre(true, true));
}

TEST_P(ProcessProofTest, of_one_that_is_ending_no_field_is_claimed) {
  for (std::size_t k = 5; k < 8; ++k) {
    vm.memory.put(vm.processes[k], at.initial_module, 0);
    vm.memory.put(vm.processes[k], at.state, 1u << 11);
  }
  EXPECT_THAT(proven(), ElementsAre(true, true));
}

TEST_P(ProcessProofTest, a_count_in_motion_is_looked_at_until_it_fits) {
  int reads = 0;
  when_read([&, this](os::Address from) {
    if (from == vm.layout.process_table.count.at(FakeVm::process_table))
      count(++reads < 100 ? 1000 + static_cast<std::uint32_t>(reads) : 8);
  });
  EXPECT_THAT(proven(), ElementsAre(true, true));
}

TEST_P(ProcessProofTest, a_count_that_stands_still_and_does_not_fit_is_refused_soon) {
  count(900);
  const auto before = vm.memory.reads();
  EXPECT_THAT(proven(), ElementsAre(false, true));
  EXPECT_LT(vm.memory.reads() - before, 200U);
}

TEST_P(ProcessProofTest, ids_of_others_are_refused_also_when_the_rest_moves) {
  for (std::uint32_t slot = 8; slot < 12; ++slot) vm.set_slot(slot, vm.processes[0]);
  std::uint32_t counted = 8;
  when_read([=, this](os::Address from) mutable {
    if (from == vm.layout.process_table.count.at(FakeVm::process_table)) count(8 + ++counted % 5);
  });
  EXPECT_THAT(proven(), ElementsAre(false, true));
}

TEST_P(ProcessProofTest, nothing_that_stands_still_proves_nothing) {
  std::uint64_t moves = 0;
  when_read([&, this](os::Address from) {
    for (const auto process : vm.processes)
      if (from == process) vm.memory.put(process, at.initial_arity, ++moves);
  });
  EXPECT_THAT(proven(), ElementsAre(true, false));
}

}  // namespace
}  // namespace beam_exporter::beam
