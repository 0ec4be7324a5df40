#include "beam/held/held_proof.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class HeldProof : public tests::EachRelease {
 protected:
  void SetUp() override {
    for (std::size_t k = 0; k < 40; ++k) add_process();
    for (std::size_t k = 0; k < 32; ++k) link(k);
  }
  void add_process() {
    const auto process = vm.allocate(vm.layout.process.size);
    ScannedProcess one;
    one.id = 0x1003 + (processes.size() << 6);
    one.address = process;
    vm.memory.put(process, at.id, one.id);
    vm.memory.put(process, at.heap_words, 100);
    vm.memory.put(process, at.saved_registers, at.own_registers.at(process));
    processes.push_back(one);
  }
  // One link, whose node has no others below it.
  void link(std::size_t process, std::uint32_t kind = 10) {
    const auto& layout = vm.layout.link;
    const auto node = vm.allocate(layout.size);
    vm.memory.put(node, layout.offset, 0);
    if (vm.layout.otp_release == "24") --kind;  // it has no ERTS_MON_TYPE_DIST_PORT
    if (layout.type.present()) {
      vm.memory.put(node, layout.type, static_cast<std::uint16_t>(kind));
      vm.memory.put(node, layout.flags, 0);
    } else {
      vm.memory.put(node, layout.flags, kind);
    }
    vm.memory.put(processes[process].address, at.links, node);
  }
  HeldProofs proofs() { return prove_held(vm.layout, vm.memory, processes); }

  const ProcessLayout& at = vm.layout.process;
  std::vector<ScannedProcess> processes;
};
INSTANTIATE_TEST_SUITE_P(Releases, HeldProof, tests::each_release_with_links, tests::release_name);

TEST_P(HeldProof, holds_where_links_and_lists_are_whole) {
  EXPECT_TRUE(proofs().memory.ok) << proofs().memory.detail;
  EXPECT_TRUE(proofs().binaries.ok) << proofs().binaries.detail;
}

TEST_P(HeldProof, a_vm_without_any_link_proves_nothing_about_them) {
  for (std::size_t k = 0; k < 32; ++k) vm.memory.put(processes[k].address, at.links, 0);
  EXPECT_FALSE(proofs().memory.ok);
  EXPECT_TRUE(proofs().binaries.ok);
}

TEST_P(HeldProof, one_and_one_in_thirty_two_may_contradict) {
  link(32, 1);  // the kind of a monitor
  link(33, 1);
  EXPECT_TRUE(proofs().memory.ok) << proofs().memory.detail;
  link(34, 1);
  EXPECT_FALSE(proofs().memory.ok) << proofs().memory.detail;
}

TEST_P(HeldProof, lists_that_lead_nowhere_are_refused) {
  vm.memory.put(processes[3].address, at.off_heap, 0xdead0);
  vm.memory.put(processes[4].address, at.off_heap, 0xdead0);
  EXPECT_FALSE(proofs().binaries.ok);
  EXPECT_TRUE(proofs().memory.ok);
}

TEST_P(HeldProof, processes_that_change_contradict_nothing) {
  unsigned looks = 0;
  vm.memory.before_read = [&](os::Address from, std::size_t) {
    for (std::size_t k = 0; k < 4; ++k)
      if (from == processes[k].address) vm.memory.put(from, at.reductions, ++looks);
  };
  for (std::size_t k = 0; k < 4; ++k) vm.memory.put(processes[k].address, at.off_heap, 0xdead0);
  EXPECT_TRUE(proofs().binaries.ok) << proofs().binaries.detail;
}

TEST_P(HeldProof, a_layout_that_does_not_tell_proves_nothing) {
  Layout layout = vm.layout;
  layout.monitor = {};
  layout.binary = {};
  const auto proofs = prove_held(layout, vm.memory, processes);
  EXPECT_FALSE(proofs.memory.ok);
  EXPECT_FALSE(proofs.binaries.ok);
}

}  // namespace
}  // namespace beam_exporter::beam
