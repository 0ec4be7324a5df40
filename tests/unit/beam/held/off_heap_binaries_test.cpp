#include "beam/held/off_heap_binaries.h"

#include <gtest/gtest.h>

#include "unit/beam/held/held_process.h"

namespace beam_exporter::beam {
namespace {

class OffHeapBinariesTest : public tests::HeldProcess {
 protected:
  os::Address binary(std::int64_t size) {
    const os::Address made = vm.allocate(vm.layout.binary.size);
    vm.memory.put(made, vm.layout.binary.bytes, size);
    return made;
  }
  // A term that stands for the binary, or another one that an off-heap list may hold.
  os::Address node(os::Address next, os::Address binary, bool is_binary = true) {
    const os::Address made = vm.allocate(64);
    const auto put_node = [&](const auto& node, Eterm header) {
      if (node.size == 0) return;
      vm.memory.put(made, node.header, is_binary ? header : Eterm{0x58});
      vm.memory.put(made, node.next, next);
      vm.memory.put(made, node.binary, binary);
    };
    put_node(vm.layout.proc_bin, 0x160);  // 5 words behind it, REFC_BINARY_SUBTAG
    put_node(vm.layout.bin_ref, 0xa8);    // 2 words behind it, BIN_REF_SUBTAG
    return made;
  }
  Amount measured() { return measured_by<OffHeapBinaries>(); }
};
INSTANTIATE_TEST_SUITE_P(Releases, OffHeapBinariesTest, tests::each_release, tests::release_name);

TEST_P(OffHeapBinariesTest, all_lists_count_and_each_binary_once) {
  const auto one = binary(100), two = binary(2000), three = binary(30000), four = binary(400000);
  os::Address list = node(node(node(0, one), two), one);
  if (at.writable_binaries.present())
    put(at.writable_binaries, node(0, three));
  else
    list = node(list, three);
  put(at.off_heap, list);
  const os::Address fragment = vm.allocate(vm.layout.heap_fragment.size);
  vm.memory.put(fragment, vm.layout.heap_fragment.off_heap, node(node(0, two), four));
  put(at.fragments, fragment);
  const auto held = measured();
  EXPECT_EQ(held.bytes, 432100U);
  EXPECT_TRUE(held.whole);
  EXPECT_FALSE(held.torn);
}

TEST_P(OffHeapBinariesTest, other_terms_of_the_list_are_passed_over) {
  put(at.off_heap, node(node(0, binary(70)), 0xdead, false));
  const auto held = measured();
  EXPECT_EQ(held.bytes, 70U);
  EXPECT_FALSE(held.torn);
}

TEST_P(OffHeapBinariesTest, a_list_without_an_end_is_followed_to_a_bound) {
  const auto last = node(0, binary(70)), first = node(last, binary(80));
  const auto next = vm.layout.bin_ref.size != 0 ? vm.layout.bin_ref.next : vm.layout.proc_bin.next;
  vm.memory.put(last, next, first);
  put(at.off_heap, first);
  const auto held = measured();
  EXPECT_FALSE(held.whole);
  EXPECT_EQ(held.bytes, 150U);
}

TEST_P(OffHeapBinariesTest, what_cannot_be_read_or_has_no_size_of_a_binary_is_torn) {
  put(at.off_heap, node(0xdead0, binary(70)));
  EXPECT_TRUE(measured().torn);
  put(at.off_heap, node(0, 0xdead0));
  EXPECT_TRUE(measured().torn);
  put(at.off_heap, node(0, binary(-1)));
  EXPECT_TRUE(measured().torn);
  put(at.off_heap, 3);
  EXPECT_TRUE(measured().torn);
}

TEST_P(OffHeapBinariesTest, binaries_are_not_larger_than_the_address_space_together) {
  const auto large = std::int64_t{1} << 46;
  put(at.off_heap, node(node(0, binary(large)), binary(large)));
  EXPECT_EQ(measured().bytes, std::uint64_t{1} << 47);
  EXPECT_FALSE(measured().torn);
  put(at.off_heap, node(node(node(0, binary(large)), binary(large)), binary(1)));
  EXPECT_TRUE(measured().torn);
}

TEST_P(OffHeapBinariesTest, a_layout_without_these_members_measures_nothing) {
  Layout layout = vm.layout;
  layout.process.off_heap.offset = Row::absent;
  OffHeapBinaries binaries(layout, vm.memory);
  EXPECT_FALSE(binaries.known());
  binaries.add(0, bytes());
  binaries.finish([](std::size_t, const Amount&) { FAIL(); });
}

}  // namespace
}  // namespace beam_exporter::beam
