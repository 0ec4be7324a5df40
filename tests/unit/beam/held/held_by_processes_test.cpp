#include "beam/held/held_by_processes.h"

#include <gtest/gtest.h>

#include "beam/processes/process_fields.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

constexpr Eterm id = 0x1233;
constexpr Holdings both{.memory = true, .binaries = true};

class HeldByProcesses : public tests::EachRelease {
 protected:
  void SetUp() override {
    vm.memory.put(process, at.id, id);
    vm.memory.put(process, at.heap_words, 100);
    vm.memory.put(process, at.saved_registers, at.own_registers.at(process));
    one.id = id;
    one.address = process;
  }
  HeldLook measured(Holdings wanted = both) {
    return measure_held(vm.layout, vm.memory, std::span(&one, 1), wanted);
  }
  // Changes a member whenever the struct is read.
  template <class Change>
  void at_each_read(Change change) {
    vm.memory.before_read = [this, change](os::Address from, std::size_t) {
      if (from == process) change(++looks);
    };
  }

  const ProcessLayout& at = vm.layout.process;
  const os::Address process = vm.allocate(vm.layout.process.size);
  ScannedProcess one;
  int looks = 0;
};
INSTANTIATE_TEST_SUITE_P(Releases, HeldByProcesses, tests::each_release_with_links,
                         tests::release_name);

TEST_P(HeldByProcesses, what_is_asked_for_is_measured) {
  const auto look = measured();
  ASSERT_TRUE(look.held[0].memory && look.held[0].binaries);
  EXPECT_EQ(look.held[0].memory->bytes, vm.layout.process.size + 800);
  EXPECT_EQ(look.held[0].binaries->bytes, 0U);
  EXPECT_EQ(look.given_up, 0U);
  EXPECT_FALSE(measured({.memory = true}).held[0].binaries);
  EXPECT_FALSE(measured({.binaries = true}).held[0].memory);
}

TEST_P(HeldByProcesses, a_process_that_changed_is_read_again) {
  at_each_read([this](int look) {
    if (look <= 2) vm.memory.put(process, at.heap_words, 100 * static_cast<unsigned>(look));
  });
  const auto look = measured();
  ASSERT_TRUE(look.held[0].memory);
  EXPECT_EQ(look.held[0].memory->bytes, vm.layout.process.size + 1600);
  EXPECT_EQ(looks, 4);
}

TEST_P(HeldByProcesses, a_process_that_always_changes_is_given_up_and_counted) {
  at_each_read(
      [this](int look) { vm.memory.put(process, at.reductions, static_cast<unsigned>(look)); });
  const auto look = measured();
  EXPECT_FALSE(look.held[0].memory);
  EXPECT_FALSE(look.held[0].binaries);
  EXPECT_EQ(look.given_up, 1U);
  EXPECT_EQ(looks, 20) << "two looks in common and eight alone";
}

TEST_P(HeldByProcesses, a_garbage_collection_makes_lists_untrue) {
  vm.memory.put(process, at.state, process_flags::gc);
  EXPECT_EQ(measured().given_up, 1U);
}

TEST_P(HeldByProcesses, a_torn_list_is_given_up) {
  vm.memory.put(process, at.off_heap, 0xdead0);
  EXPECT_EQ(measured().given_up, 1U);
}

TEST_P(HeldByProcesses, a_process_that_has_ended_holds_nothing_and_is_not_given_up) {
  vm.memory.put(process, at.id, id + 64);
  EXPECT_FALSE(measured().held[0].memory);
  EXPECT_EQ(measured().given_up, 0U);
  vm.memory.forget(process, vm.layout.process.size);
  EXPECT_FALSE(measured().held[0].memory);
  EXPECT_EQ(measured().given_up, 0U);
}

TEST_P(HeldByProcesses, a_layout_file_of_before_can_measure_nothing) {
  EXPECT_TRUE(can_measure(vm.layout, both));
  Layout layout = vm.layout;
  layout.link = {};
  EXPECT_FALSE(can_measure(layout, {.memory = true}));
  EXPECT_TRUE(can_measure(layout, {.binaries = true}));
  layout.binary = {};
  EXPECT_FALSE(can_measure(layout, {.binaries = true}));
  EXPECT_TRUE(can_measure(layout, {}));
}

TEST(HeldByProcesses, of_otp_23_only_binaries_can_be_measured) {
  const auto layout = tests::shipped_layout("23-emu");
  EXPECT_FALSE(can_measure(layout, {.memory = true}));
  EXPECT_TRUE(can_measure(layout, {.binaries = true}));
}

}  // namespace
}  // namespace beam_exporter::beam
