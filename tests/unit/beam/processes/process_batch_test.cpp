#include "beam/processes/process_batch.h"

#include <gtest/gtest.h>

#include "unit/beam/held/held_process.h"

namespace beam_exporter::beam {
namespace {

// One process with one message of so many words.
class ProcessBatchTest : public tests::HeldProcess {
 protected:
  static constexpr std::uint64_t half = std::uint64_t{1} << 43;  // words; of the address space

  void SetUp() override {
    HeldProcess::SetUp();
    constexpr std::uint32_t on_heap = 2;  // FS_ON_HEAP_MSGQ
    const os::Address message = vm.allocate(vm.layout.message.size);
    vm.memory.put(message, vm.layout.message.attached, 1);
    vm.memory.put(message, vm.layout.message.term, 0x1f);
    vm.memory.put(message, vm.layout.message.fragment_used, half);
    vm.memory.put(message, vm.layout.message.fragment_room, half);
    put(at.queue_flags, on_heap);
    put(at.inner_first, message);
  }
  std::uint64_t heap_bytes(std::uint64_t heap_words) {
    put(at.heap_words, heap_words);
    ProcessBatch batch(vm.layout, vm.memory);
    EXPECT_TRUE(batch.add(0x1000, bytes()));
    batch.finish();
    unmeasured = batch.unmeasured_messages();
    return batch.processes().front().heap_bytes;
  }

  std::uint64_t unmeasured = 0;
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessBatchTest, tests::each_release, tests::release_name);

TEST_P(ProcessBatchTest, a_heap_with_its_messages_is_not_larger_than_the_address_space) {
  EXPECT_EQ(heap_bytes(half), 2 * half * 8);
  EXPECT_EQ(unmeasured, 0U);
  EXPECT_EQ(heap_bytes(half + 1), (half + 1) * 8);
  EXPECT_EQ(unmeasured, 1U) << "the message is left out";
}

}  // namespace
}  // namespace beam_exporter::beam
