#include "beam/processes/message_queue.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

// One process struct in our hands, and what it points to in the VM's memory.
class MessageQueueTest : public tests::EachRelease {
 protected:
  void SetUp() override { process.resize(vm.layout.process.size); }

  template <class T>
  void put(Field<T> field, std::type_identity_t<T> value) {
    if (field.present()) std::memcpy(process.data() + field.offset, &value, field.width);
  }
  std::uint64_t count() {
    MessageQueues queues(vm.layout, vm.memory);
    std::uint64_t messages = queues.add(0, StructBytes(process));
    reads = queues.finish([&](std::size_t, std::uint64_t more) { messages += more; });
    torn = queues.torn();
    return messages;
  }
  // A signal that says so many messages are before it; the place that points to it.
  os::Address signal(std::int64_t messages_before) {
    const auto& fields = vm.layout.signal;
    const os::Address made = vm.allocate(fields.size), place = vm.allocate(8);
    vm.memory.put(made, fields.messages_before, messages_before);
    vm.memory.put(place, made);
    return place;
  }
  os::Address signal_at(os::Address place) const { return *vm.memory.value<os::Address>(place); }

  const ProcessLayout& at = vm.layout.process;
  const bool has_signals = vm.layout.signal.messages_before.present();
  std::vector<std::byte> process;
  std::uint64_t reads = 0, torn = 0;
};
INSTANTIATE_TEST_SUITE_P(Releases, MessageQueueTest, tests::each_release, tests::release_name);

TEST_P(MessageQueueTest, lengths_add_up) {
  const Field<std::int64_t> lengths[] = {at.queue_length, at.fetched_in_order, at.fetched,
                                         at.incoming_length, at.incoming};
  std::int64_t sum = 0, next = 3;
  for (const auto field : lengths) {
    if (!field.present()) continue;
    put(field, next);
    sum += next;
    next *= 10;
  }
  EXPECT_GT(sum, 0);
  EXPECT_EQ(count(), static_cast<std::uint64_t>(sum));
}

TEST_P(MessageQueueTest, a_length_in_the_making_counts_nothing) {
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{INT64_MIN}, std::int64_t{INT64_MAX},
                                 std::int64_t{1} << 40}) {
    for (const auto field :
         {at.queue_length, at.fetched_in_order, at.fetched, at.incoming_length, at.incoming})
      put(field, bad);
    EXPECT_EQ(count(), 0U) << bad;
  }
}

TEST_P(MessageQueueTest, messages_before_signals_are_counted_along_the_chain) {
  if (!has_signals) return;  // OTP 25 counts them in the queue
  const os::Address first = signal(5), second = signal(7);
  vm.memory.put(signal_at(first), vm.layout.signal.next, second);
  put(at.incoming_signals, first);
  EXPECT_EQ(count(), 12U);
}

TEST_P(MessageQueueTest, a_chain_that_bites_its_tail_counts_nothing) {
  if (!has_signals) return;  // OTP 25 counts them in the queue
  const os::Address first = signal(5), second = signal(7);
  vm.memory.put(signal_at(first), vm.layout.signal.next, second);
  vm.memory.put(signal_at(second), vm.layout.signal.next, first);
  put(at.incoming_signals, first);
  put(at.fetched_signals, second);
  EXPECT_EQ(count(), 0U);
  EXPECT_EQ(torn, 2U);
  EXPECT_LT(reads, 20000U);
}

TEST_P(MessageQueueTest, many_chains_that_bite_their_tails_are_bounded_together) {
  if (!has_signals) return;  // OTP 25 counts them in the queue
  const os::Address loop = signal(1);
  vm.memory.put(signal_at(loop), vm.layout.signal.next, loop);
  put(at.incoming_signals, loop);
  put(at.fetched_signals, loop);
  MessageQueues queues(vm.layout, vm.memory);
  for (std::size_t k = 0; k < 20000; ++k) queues.add(k, StructBytes(process));
  std::uint64_t messages = 0;
  EXPECT_LT(queues.finish([&](std::size_t, std::uint64_t more) { messages += more; }), 2000000U);
  EXPECT_EQ(messages, 0U);
}

TEST_P(MessageQueueTest, wild_pointers_count_nothing) {
  for (const os::Address wild :
       {os::Address{1}, os::Address{0xdead0000}, ~os::Address{0}, ~os::Address{0} - 8191}) {
    put(at.incoming_signals, wild);
    put(at.fetched_signals, wild);
    put(at.incoming_buffers, wild);
    EXPECT_EQ(count(), 0U);
  }
}

TEST_P(MessageQueueTest, a_signal_or_an_array_of_buffers_that_ends_counts_nothing) {
  const auto& buffers = vm.layout.signal_buffers;
  if (buffers.size == 0) return;  // OTP 24 has none
  const os::Address array = vm.allocate(buffers.size);
  const auto length = buffers.length.present() ? buffers.length : buffers.messages;
  for (std::uint32_t slot = 0; slot < 64; ++slot)
    vm.memory.put(length.at(array) + slot * vm.layout.signal_buffer.size, std::int64_t{2});
  put(at.incoming_buffers, array);
  EXPECT_EQ(count(), 128U);
  vm.memory.put(length.at(array), std::int64_t{-5});
  EXPECT_EQ(count(), 126U);
  vm.memory.forget(array + buffers.size - 1, 1);
  EXPECT_EQ(count(), 0U);
  if (!has_signals) return;
  const os::Address cut = signal(5);
  vm.memory.forget(signal_at(cut) + vm.layout.signal.size - 1, 64);
  put(at.incoming_signals, cut);
  EXPECT_EQ(count(), 0U);
}

}  // namespace
}  // namespace beam_exporter::beam
