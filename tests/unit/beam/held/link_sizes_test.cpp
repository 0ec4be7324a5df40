#include "beam/held/link_sizes.h"

#include <gtest/gtest.h>

#include "unit/beam/held/held_process.h"

namespace beam_exporter::beam {
namespace {

constexpr std::uint16_t extended = 1u << 4, link_type = 10, dist_link_type = 12;
constexpr std::uint16_t by_process = 0, elsewhere = 3, suspending = 8, alias = 9;

class LinkSizesTest : public tests::HeldProcess {
 protected:
  void put_node(os::Address made, std::uint16_t type, std::uint16_t flags = 0,
                std::uint16_t offset = 0) {
    put_sort(made, vm.layout.link.type, vm.layout.link.flags, type, flags);
    vm.memory.put(made, vm.layout.link.offset, offset);
  }
  os::Address link(os::Address left = 0, os::Address right = 0) {
    const os::Address made = vm.allocate(vm.layout.link.size);
    put_node(made, link_type);
    vm.memory.put(made, vm.layout.link.left, left);
    vm.memory.put(made, vm.layout.link.right, right);
    return made;
  }
  // The side of the origin, which stands first in the block.
  os::Address monitor(std::uint16_t type, std::uint32_t references, std::uint16_t flags = 0,
                      Eterm reference = 0, Eterm target = 0) {
    const os::Address made = vm.allocate(256);
    const auto& monitor = vm.layout.monitor;
    put_node(made, type, flags);
    put_sort(made, monitor.origin_type, monitor.origin_flags, type, flags);
    vm.memory.put(made, monitor.references, references);
    vm.memory.put(made, monitor.reference, reference);
    vm.memory.put(made, monitor.target_item, target);
    return made;
  }
  Eterm boxed(std::uint64_t words_behind) {
    const os::Address made = vm.allocate(8 + 8 * words_behind);
    vm.memory.put<Eterm>(made, words_behind << 6 | 0x10);
    return made + 2;
  }
  Amount measured() { return measured_by<LinkSizes>(); }
};
INSTANTIATE_TEST_SUITE_P(Releases, LinkSizesTest, tests::each_release_with_links,
                         tests::release_name);

TEST_P(LinkSizesTest, links_of_a_tree_have_a_node_each) {
  put(at.links, link(link(link()), link()));
  const auto found = measured();
  EXPECT_EQ(found.bytes, 4U * vm.layout.link.size);
  EXPECT_FALSE(found.torn);
}

TEST_P(LinkSizesTest, a_link_to_another_node_is_shared_by_its_references) {
  const auto& distant = vm.layout.distant_link;
  const os::Address made = vm.allocate(distant.size);
  const auto other_side = static_cast<std::uint16_t>(vm.layout.link.size);
  put_node(made + other_side, dist_link_type, extended, other_side);
  vm.memory.put(made, distant.references, 2);
  vm.memory.put(made, distant.heap, 3u << 6 | 0x30);
  put(at.links, made + other_side);
  EXPECT_EQ(measured().bytes, (distant.size + 3 * 8) / 2);
}

TEST_P(LinkSizesTest, monitors_differ_in_size_by_their_kind) {
  const auto size = [&](os::Address monitor) {
    put(at.monitors, monitor);
    const auto found = measured();
    EXPECT_FALSE(found.torn);
    return found.bytes;
  };
  EXPECT_EQ(size(monitor(by_process, 2)), vm.layout.plain_monitor.size / 2);
  EXPECT_EQ(size(monitor(by_process, 1)), vm.layout.plain_monitor.size);
  EXPECT_EQ(size(monitor(alias, 1)), vm.layout.monitor.size);
  EXPECT_EQ(size(monitor(suspending, 2)), vm.layout.suspend_monitor.size / 2);
  const auto without_words = vm.layout.extended_monitor.size - 8;
  EXPECT_EQ(size(monitor(by_process, 2, extended, boxed(2))), (without_words + 3 * 8) / 2);
  EXPECT_EQ(size(monitor(elsewhere, 1, extended, boxed(2), boxed(3))), without_words + (3 + 4) * 8);
}

TEST_P(LinkSizesTest, a_ring_is_followed_until_its_first_member) {
  const auto one = monitor(by_process, 2), two = monitor(by_process, 2);
  vm.memory.put(one, vm.layout.link.next, two);
  vm.memory.put(two, vm.layout.link.next, one);
  put(at.target_monitors, one);
  const auto found = measured();
  EXPECT_EQ(found.bytes, 2U * (vm.layout.plain_monitor.size / 2));
  EXPECT_TRUE(found.whole);
}

TEST_P(LinkSizesTest, a_tree_with_a_cycle_is_followed_to_a_bound) {
  const auto one = link();
  vm.memory.put(one, vm.layout.link.left, one);
  put(at.links, one);
  EXPECT_FALSE(measured().whole);
}

TEST_P(LinkSizesTest, what_no_link_is_like_is_torn) {
  const auto torn = [&](os::Address of_links, os::Address of_monitors) {
    put(at.links, of_links);
    put(at.monitors, of_monitors);
    return measured().torn;
  };
  EXPECT_TRUE(torn(0xdead0, 0)) << "unreadable";
  EXPECT_TRUE(torn(4, 0)) << "no address of a struct";
  EXPECT_TRUE(torn(monitor(by_process, 1), 0)) << "a monitor among links";
  EXPECT_TRUE(torn(0, link())) << "a link among monitors";
  EXPECT_TRUE(torn(0, monitor(by_process, 0))) << "nobody holds it";
  EXPECT_TRUE(torn(0, monitor(by_process, 1, extended, boxed(99)))) << "no such reference";
  EXPECT_FALSE(torn(link(), monitor(by_process, 1)));
}

}  // namespace
}  // namespace beam_exporter::beam
