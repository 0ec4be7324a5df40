#include "session/process_names.h"

#include <gtest/gtest.h>

#include "fakes/fake_vm.h"

namespace beam_exporter::session {
namespace {

using std::chrono::milliseconds;

class ProcessNamesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto attached = vm_.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
    names_.emplace(*attached_);
  }
  beam::ProcessFields process() const {
    const auto read = beam::read_process(vm_.layout, vm_.memory, place_);
    EXPECT_TRUE(read);
    return read.value_or(beam::ProcessFields{});
  }
  std::string name(const beam::ProcessFields& process, milliseconds when) {
    const auto* found = names_->name(process, when);
    return found != nullptr ? *found : "none";
  }
  void register_as(std::string_view registered) {
    const os::Address entry = vm_.allocate(vm_.layout.registered.size);
    vm_.memory.put(entry, vm_.layout.registered.registered_name, vm_.atom(registered));
    vm_.memory.put(place_, vm_.layout.process.reg, entry);
  }

  tests::FakeVm vm_{tests::shipped_layout("27")};
  os::Address place_ = vm_.spawn("shop", "worker", 2);
  std::unique_ptr<beam::VirtualMachine> attached_;
  std::optional<ProcessNames> names_;
};

TEST_F(ProcessNamesTest, a_registration_is_seen_within_a_second) {
  const auto sampled = process();
  EXPECT_EQ(name(sampled, milliseconds(5000)), "shop:worker/2");
  register_as("cashier");
  const auto reads = vm_.memory.reads();
  EXPECT_EQ(name(sampled, milliseconds(5999)), "shop:worker/2");
  EXPECT_EQ(vm_.memory.reads(), reads) << "a known process costs no read";
  EXPECT_EQ(name(sampled, milliseconds(6000)), "cashier");
}

TEST_F(ProcessNamesTest, who_stands_there_by_now_lends_no_name) {
  auto sampled = process();
  register_as("cashier");
  sampled.id += 16;  // the next process id: that process has ended, and its struct is used again
  EXPECT_EQ(name(sampled, milliseconds(1)), "shop:worker/2");
  EXPECT_EQ(name(process(), milliseconds(1)), "cashier");
}

TEST_F(ProcessNamesTest, gone_memory_leaves_what_came_with_the_sample) {
  const auto sampled = process();
  vm_.memory.forget(place_, vm_.layout.process.size);
  EXPECT_EQ(name(sampled, milliseconds(1)), "shop:worker/2");
}

TEST_F(ProcessNamesTest, an_ending_process_keeps_the_name_it_had) {
  auto sampled = process();
  EXPECT_EQ(name(sampled, milliseconds(1)), "shop:worker/2");
  sampled.initial = {};
  EXPECT_EQ(name(sampled, milliseconds(5000)), "shop:worker/2");
}

TEST_F(ProcessNamesTest, a_process_without_a_readable_call_has_none) {
  auto sampled = process();
  sampled.initial = {};
  EXPECT_EQ(name(sampled, milliseconds(1)), "none");
}

}  // namespace
}  // namespace beam_exporter::session
