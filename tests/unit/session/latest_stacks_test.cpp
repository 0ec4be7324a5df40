#include "session/latest_stacks.h"

#include <gtest/gtest.h>

#include "fakes/fake_vm.h"

namespace beam_exporter::session {
namespace {

using attribution::State;
using std::chrono::milliseconds;

std::unique_ptr<beam::VirtualMachine> attached_to(const tests::FakeVm& vm) {
  auto made = vm.attach();
  if (!made) ADD_FAILURE() << made.error().text;
  return std::move(*made);
}

class LatestStacksTest : public testing::Test {
 protected:
  // A look at normal scheduler 1, which executes this process of the VM (-1: none).
  void look(milliseconds when, State state, int process = -1, bool blocked = false) {
    sampling::RawSample seen;
    seen.role = role_;
    seen.time = when;
    seen.native_end = native_end_;
    if (process >= 0)
      seen.process = beam::read_process(vm_.layout, vm_.memory,
                                        vm_.processes.at(static_cast<std::size_t>(process)));
    ASSERT_EQ(seen.process.has_value(), process >= 0);
    latest_.add(seen, {.state = state, .unattributed = unattributed_, .for_process = process >= 0},
                native_, blocked);
  }
  LatestStacks::Thread told() { return latest_.finish()[role_]; }
  beam::Eterm id(std::size_t process) const {
    return beam::read_process(vm_.layout, vm_.memory, vm_.processes.at(process))->id;
  }

  tests::FakeVm vm_{tests::shipped_layout("27")};
  const std::unique_ptr<beam::VirtualMachine> attached_ = attached_to(vm_);
  LatestStacks latest_{*attached_};
  const beam::ThreadRole role_{beam::ThreadKind::normal, 1};
  const attribution::NativeMeaning inner_{.start = 1, .name = "inner"},
      outer_{.start = 2, .name = "outer"};
  std::vector<const attribution::NativeMeaning*> native_;
  std::optional<attribution::Unattributed> unattributed_;
  elf::UnwindEnd native_end_ = elf::UnwindEnd::reached;
};

TEST_F(LatestStacksTest, the_newest_look_is_kept_with_the_first_of_this_process) {
  native_ = {&inner_, &outer_};
  look(milliseconds(100), State::emulator, 0);
  look(milliseconds(110), State::emulator, 1);
  look(milliseconds(120), State::gc, 1);
  look(milliseconds(130), State::nif, 1, true);
  const auto seen = told();
  ASSERT_TRUE(seen.work);
  EXPECT_FALSE(seen.idle);
  EXPECT_EQ(seen.work->process, id(1));
  EXPECT_EQ(seen.work->state, "nif");
  EXPECT_TRUE(seen.work->blocked);
  EXPECT_EQ(seen.work->since, milliseconds(110));
  EXPECT_EQ(seen.work->time, milliseconds(130));
  EXPECT_EQ(seen.work->lines,
            (std::vector<StackLine>{{profile::FunctionKind::native, "inner"},
                                    {profile::FunctionKind::native, "outer"},
                                    {profile::FunctionKind::other, "[process]"}}));
}

TEST_F(LatestStacksTest, a_rest_ends_the_time_of_a_process_and_not_what_was_seen) {
  look(milliseconds(100), State::emulator, 0);
  look(milliseconds(110), State::busy_wait);
  EXPECT_TRUE(latest_.worked(role_));
  look(milliseconds(120), State::emulator, 0);
  look(milliseconds(130), State::check_io);
  const auto seen = told();
  ASSERT_TRUE(seen.work && seen.idle);
  EXPECT_EQ(seen.work->since, milliseconds(120));
  EXPECT_EQ(seen.idle->time, milliseconds(130));
  EXPECT_EQ(seen.idle->state, "check_io");
}

TEST_F(LatestStacksTest, work_of_the_scheduler_itself_does_not_hide_a_process_that_goes_on) {
  look(milliseconds(100), State::emulator, 0);
  look(milliseconds(105), State::other);  // it chooses what to do next
  look(milliseconds(110), State::timers);
  look(milliseconds(115), State::emulator, 0);
  look(milliseconds(116), State::aux);
  EXPECT_EQ(told().work->since, milliseconds(100));
}

TEST_F(LatestStacksTest, work_of_the_scheduler_itself_that_lasts_is_told) {
  look(milliseconds(100), State::emulator, 0);
  look(milliseconds(150), State::aux);
  const auto seen = told();
  EXPECT_EQ(seen.work->process, 0u);
  EXPECT_EQ(seen.work->state, "aux");
  EXPECT_EQ(seen.work->name, "");
}

TEST_F(LatestStacksTest, a_look_without_names_tells_nothing_new) {
  unattributed_ = attribution::Unattributed::code_changed;
  look(milliseconds(100), State::emulator, 0);
  EXPECT_TRUE(latest_.worked(role_)) << "but it is better than nothing";
  unattributed_.reset();
  look(milliseconds(200), State::nif, 0);
  unattributed_ = attribution::Unattributed::code_changed;
  look(milliseconds(300), State::emulator, 0);
  EXPECT_EQ(told().work->time, milliseconds(200));
}

TEST_F(LatestStacksTest, a_look_that_comes_late_is_not_the_newest) {
  look(milliseconds(100), State::nif, 0, true);
  look(milliseconds(99), State::emulator, 1);
  EXPECT_EQ(told().work->process, id(0));
}

TEST_F(LatestStacksTest, frames_that_could_not_be_unwound_are_marked) {
  native_ = {&inner_};
  native_end_ = elf::UnwindEnd::no_stack;
  look(milliseconds(100), State::nif, 0, true);
  const auto lines = told().work->lines;
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].text, "inner");
  EXPECT_EQ(lines[1].text, "... frames left out ...");
}

TEST_F(LatestStacksTest, the_first_function_of_a_thread_has_no_caller_that_is_missing) {
  native_ = {&inner_};
  native_end_ = elf::UnwindEnd::thread_begin;
  look(milliseconds(100), State::sleep);
  EXPECT_EQ(told().idle->lines.size(), 2u);
}

TEST_F(LatestStacksTest, threads_that_are_no_schedulers_are_not_told) {
  sampling::RawSample seen;
  seen.role = {beam::ThreadKind::poll, 0};
  latest_.add(seen, {.state = State::aux}, {}, false);
  EXPECT_TRUE(latest_.finish().empty());
}

}  // namespace
}  // namespace beam_exporter::session
