#include "beam/processes/mailbox_heaps.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

constexpr Eterm small_one = 0x1f;
constexpr std::uint32_t on_heap = 2, off_heap = 1;

// One process struct in our hands, and the messages it points to in the VM's memory.
class MailboxHeapsTest : public tests::EachRelease {
 protected:
  void SetUp() override {
    process.resize(vm.layout.process.size);
    put(at.queue_flags, on_heap);
  }
  template <class T>
  void put(Field<T> field, std::type_identity_t<T> value) {
    std::memcpy(process.data() + field.offset, &value, field.width);
  }
  os::Address fragment(std::uint64_t used, std::uint64_t room, os::Address next = 0) {
    const os::Address made = vm.allocate(vm.layout.heap_fragment.size);
    vm.memory.put(made, vm.layout.heap_fragment.used, used);
    vm.memory.put(made, vm.layout.heap_fragment.room, room);
    vm.memory.put(made, vm.layout.heap_fragment.next, next);
    return made;
  }
  os::Address message(os::Address next, os::Address attached, Eterm term = small_one) {
    const os::Address made = vm.allocate(vm.layout.message.size);
    vm.memory.put(made, vm.layout.message.next, next);
    vm.memory.put(made, vm.layout.message.attached, attached);
    vm.memory.put(made, vm.layout.message.term, term);
    return made;
  }
  // With its fragment right behind it.
  os::Address combined(os::Address next, std::uint64_t used) {
    const os::Address made = message(next, 1);
    vm.memory.put(made, vm.layout.message.fragment_used, used);
    vm.memory.put(made, vm.layout.message.fragment_room, used);
    return made;
  }
  MailboxHeap measured() {
    MailboxHeaps heaps(vm.layout, vm.memory);
    heaps.add(7, StructBytes(process));
    MailboxHeap found;
    reads = heaps.finish([&](std::size_t index, const MailboxHeap& heap) {
      EXPECT_EQ(index, 7U);
      found = heap;
    });
    torn = heaps.torn();
    return found;
  }

  const ProcessLayout& at = vm.layout.process;
  std::vector<std::byte> process;
  std::uint64_t reads = 0, torn = 0;
};
INSTANTIATE_TEST_SUITE_P(Releases, MailboxHeapsTest, tests::each_release, tests::release_name);

TEST_P(MailboxHeapsTest, fragments_behind_and_beside_messages_of_all_three_queues_add_up) {
  put(at.inner_first, combined(combined(0, 500), 30));
  put(at.middle_first, message(0, fragment(4, 10, fragment(3, 3))));
  put(at.incoming_first, message(combined(0, 2000), 0));
  const auto heap = measured();
  EXPECT_EQ(heap.words, 500U + 30 + 4 + 3 + 2000);
  EXPECT_EQ(heap.measured, 5U);
  EXPECT_TRUE(heap.whole);
  EXPECT_EQ(torn, 0U);
}

TEST_P(MailboxHeapsTest, memory_may_end_behind_a_message_without_a_fragment) {
  const os::Address last = message(combined(0, 9), 0);
  const auto& term = vm.layout.message.term;
  vm.memory.forget(term.at(last) + term.width, vm.layout.message.size - term.offset - term.width);
  put(at.inner_first, last);
  EXPECT_EQ(measured().words, 9U);
  EXPECT_EQ(torn, 0U);
}

TEST_P(MailboxHeapsTest, a_mailbox_off_the_heap_does_not_belong_to_it) {
  put(at.inner_first, combined(0, 500));
  put(at.queue_flags, off_heap);
  EXPECT_EQ(measured().words, 0U);
  EXPECT_EQ(reads, 0U);
}

TEST_P(MailboxHeapsTest, other_signals_are_passed_by_and_undecoded_messages_counted) {
  constexpr Eterm header = 0x40;
  put(at.inner_first, message(message(combined(0, 8), 0x1000, 0), 0x1000, header));
  const auto heap = measured();
  EXPECT_EQ(heap.words, 8U);
  EXPECT_EQ(heap.measured, 1U);
  EXPECT_EQ(heap.unread, 1U);
}

TEST_P(MailboxHeapsTest, a_list_in_circles_ends) {
  const os::Address first = combined(0, 1);
  vm.memory.put(first, vm.layout.message.next, first);
  put(at.inner_first, first);
  const auto heap = measured();
  EXPECT_FALSE(heap.whole);
  EXPECT_EQ(heap.measured, 65536U);
}

TEST_P(MailboxHeapsTest, messages_are_not_larger_than_the_address_space_together) {
  constexpr std::uint64_t half = std::uint64_t{1} << 43;
  put(at.inner_first, combined(combined(combined(0, 1), half), half));
  EXPECT_EQ(measured().words, 2 * half);
  EXPECT_EQ(torn, 1U);
}

TEST_P(MailboxHeapsTest, what_is_no_message_ends_the_list) {
  put(at.inner_first, combined(message(0, fragment(11, 10)), 6));
  put(at.middle_first, combined(0x12345678, 1));
  put(at.incoming_first, 3);
  EXPECT_EQ(measured().words, 7U);
  EXPECT_EQ(torn, 3U);
}

}  // namespace
}  // namespace beam_exporter::beam
