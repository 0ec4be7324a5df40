#include "beam/processes/first_messages.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class FirstMessagesTest : public tests::EachRelease {
 protected:
  void SetUp() override {
    process = vm.allocate(at.size);
    vm.memory.put_zeros(process, at.size);
    vm.memory.put(process, at.id, id);
  }
  os::Address message(Eterm term, os::Address next = 0) {
    const os::Address made = vm.allocate(vm.layout.message.size);
    vm.memory.put(made, vm.layout.message.next, next);
    vm.memory.put(made, vm.layout.message.term, term);
    return made;
  }
  FirstMessages read(std::size_t most = 100) {
    return first_messages(vm.layout, vm.memory, process, id, most);
  }
  static constexpr Eterm small(std::uint64_t value) { return value << 4 | 0xf; }
  static constexpr Eterm id = 0x1003;
  const ProcessLayout& at = vm.layout.process;
  os::Address process = 0;
};
INSTANTIATE_TEST_SUITE_P(Releases, FirstMessagesTest, tests::each_release, tests::release_name);

TEST_P(FirstMessagesTest, the_oldest_come_first_through_all_three_queues) {
  vm.memory.put(process, at.incoming_first, message(small(5)));
  vm.memory.put(process, at.middle_first, message(small(3), message(small(4))));
  vm.memory.put(process, at.inner_first, message(small(1), message(small(2))));
  const auto all = read();
  EXPECT_EQ(all.terms, (std::vector{small(1), small(2), small(3), small(4), small(5)}));
  EXPECT_FALSE(all.torn);
  EXPECT_EQ(read(3).terms, (std::vector{small(1), small(2), small(3)}));
}

TEST_P(FirstMessagesTest, other_signals_are_no_messages_and_one_that_is_not_decoded_is) {
  constexpr Eterm signal = 0x40;
  vm.memory.put(process, at.inner_first, message(small(1), message(signal, message(0))));
  const auto all = read();
  EXPECT_EQ(all.terms, (std::vector<Eterm>{small(1), 0}));
  EXPECT_EQ(all.signals, 1U);
}

TEST_P(FirstMessagesTest, a_list_that_leads_nowhere_tells_what_came_before) {
  vm.memory.put(process, at.inner_first, message(small(1), 0xdead0000));
  const auto all = read();
  EXPECT_EQ(all.terms, std::vector{small(1)});
  EXPECT_TRUE(all.torn);
}

TEST_P(FirstMessagesTest, a_circle_of_signals_ends) {
  const os::Address signal = message(0x40);
  vm.memory.put(signal, vm.layout.message.next, signal);
  vm.memory.put(process, at.inner_first, signal);
  EXPECT_TRUE(read().torn);
  EXPECT_LT(vm.memory.reads(), 5000U);
}

TEST_P(FirstMessagesTest, another_process_at_this_place_tells_nothing) {
  vm.memory.put(process, at.inner_first, message(small(1)));
  vm.memory.put(process, at.id, 0x2003);
  EXPECT_TRUE(read().torn);
  EXPECT_TRUE(read().terms.empty());
}

}  // namespace
}  // namespace beam_exporter::beam
