#include "beam/held/process_memory.h"

#include <gtest/gtest.h>

#include "unit/beam/held/held_process.h"

namespace beam_exporter::beam {
namespace {

constexpr os::Address somewhere = 0x7000'0000;

class ProcessMemoryTest : public tests::HeldProcess {
 protected:
  void SetUp() override {
    HeldProcess::SetUp();
    put(at.saved_registers, at.own_registers.at(somewhere));
    put(at.heap_words, 233);
  }
  os::Address message(os::Address next, std::uint64_t used, Eterm term = 0x1f) {
    const os::Address made = vm.allocate(vm.layout.message.size);
    vm.memory.put(made, vm.layout.message.next, next);
    vm.memory.put(made, vm.layout.message.attached, 1);
    vm.memory.put(made, vm.layout.message.term, term);
    vm.memory.put(made, vm.layout.message.fragment_used, used);
    vm.memory.put(made, vm.layout.message.fragment_room, used);
    return made;
  }
  Amount measured() {
    ProcessMemory memory(vm.layout, vm.memory);
    EXPECT_TRUE(memory.known());
    memory.add(7, somewhere, bytes());
    Amount found;
    memory.finish([&](std::size_t index, const Amount& one) {
      EXPECT_EQ(index, 7U);
      found = one;
    });
    return found;
  }
  // Beyond its struct and its young heap.
  std::uint64_t more() {
    const auto found = measured();
    EXPECT_TRUE(found.whole);
    EXPECT_FALSE(found.torn);
    return found.bytes - vm.layout.process.size - 233 * 8;
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessMemoryTest, tests::each_release_with_links,
                         tests::release_name);

TEST_P(ProcessMemoryTest, an_empty_process_is_its_struct_and_its_heap) { EXPECT_EQ(more(), 0U); }

TEST_P(ProcessMemoryTest, old_and_abandoned_heaps_and_fragments_count) {
  put(at.old_heap, 0x1000);
  put(at.old_hend, 0x1800);
  put(at.fragment_words, 5);
  EXPECT_EQ(more(), 0x800U + 5 * 8);
  put(at.heap, 0x2000);
  put(at.hend, 0x2100);
  put(at.abandoned_heap, 0x3000);
  EXPECT_EQ(more(), 0x800U + 5 * 8 + 0x100);
}

TEST_P(ProcessMemoryTest, what_is_larger_than_the_address_space_is_torn) {
  put(at.abandoned_heap, 0x3000);
  put(at.heap, 0x2000);
  put(at.hend, std::uint64_t{1} << 46);
  EXPECT_FALSE(measured().torn);
  for (const std::uint64_t end : {std::uint64_t{1} << 48, ~std::uint64_t{0}}) {
    put(at.hend, end);
    EXPECT_TRUE(measured().torn) << end;
  }
}

TEST_P(ProcessMemoryTest, messages_count_on_and_off_the_heap) {
  put(at.inner_first, message(message(0, 3), 4));
  for (const std::uint32_t flags : {1u, 2u}) {  // FS_OFF_HEAP_MSGQ, FS_ON_HEAP_MSGQ
    put(at.queue_flags, flags);
    EXPECT_EQ(more(), 7U * 8 + 2 * vm.layout.message.size);
  }
}

TEST_P(ProcessMemoryTest, dictionary_registers_and_rare_data_count) {
  const os::Address dictionary = vm.allocate(vm.layout.dictionary.size);
  vm.memory.put(dictionary, vm.layout.dictionary.slots, 10);
  put(at.dictionary, dictionary);
  EXPECT_EQ(more(), vm.layout.dictionary.size + 9U * 8);
  put(at.dictionary, 0);
  put(at.saved_registers, 0x5000);
  put(at.live_registers, 8);
  EXPECT_EQ(more(), 8U * 8);
  put(at.live_registers, 0);
  put(at.specific_data, 0x6000);
  EXPECT_EQ(more(), vm.layout.specific_data.size);
}

TEST_P(ProcessMemoryTest, links_count_while_the_process_does_not_exit) {
  const os::Address link = vm.allocate(vm.layout.link.size);
  put_sort(link, vm.layout.link.type, vm.layout.link.flags, 10, 0);
  put(at.links, link);
  EXPECT_EQ(more(), vm.layout.link.size);
  put(at.state, 1u << 11);
  EXPECT_EQ(more(), 0U);
}

TEST_P(ProcessMemoryTest, what_has_no_known_size_makes_it_a_part_of_the_whole) {
  put(at.inner_first, message(0, 0, 0));  // not decoded
  EXPECT_FALSE(measured().whole);
  put(at.inner_first, 0);
  if (vm.layout.signal_buffers.size == 0) return;  // OTP 24 has none
  const os::Address buffers = vm.allocate(vm.layout.signal_buffers.size);
  put(at.incoming_buffers, buffers);
  EXPECT_TRUE(measured().whole) << "all are empty";
  vm.memory.put(buffers, vm.layout.signal_buffers.nonempty, 1);
  EXPECT_FALSE(measured().whole);
}

TEST_P(ProcessMemoryTest, what_cannot_be_so_is_torn) {
  put(at.dictionary, 0xdead0);
  EXPECT_TRUE(measured().torn);
  put(at.dictionary, 0);
  put(at.inner_first, 0xdead0);
  EXPECT_TRUE(measured().torn);
  put(at.inner_first, 0);
  put(at.heap_words, std::uint64_t{1} << 60);
  EXPECT_TRUE(measured().torn);
}

}  // namespace
}  // namespace beam_exporter::beam
