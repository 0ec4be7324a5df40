#include "attribution/native_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>

#include <cstdlib>

#include "own_code.h"

namespace beam_exporter::attribution {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NativeCodeTest : public testing::Test {
 protected:
  OwnCode own_;
  NativeCode native_{*own_.vm, *own_.objects};
};

TEST_F(NativeCodeTest, a_function_of_the_executable_means_what_erts_says_of_it) {
  const auto& collecting = native_.at(OwnCode::inside(erts_garbage_collect), true);
  EXPECT_EQ(collecting.name, "erts_garbage_collect");
  EXPECT_TRUE(collecting.exported);
  EXPECT_EQ(collecting.work, ProcessWork::collection);
  EXPECT_TRUE(collecting.in_executable);
  EXPECT_EQ(collecting.effect, Effect::gc);
  EXPECT_EQ(collecting.start, OwnCode::begin(erts_garbage_collect));
  EXPECT_EQ(native_.at(OwnCode::inside(helper_of_copying), true).effect, Effect::none);
}

TEST_F(NativeCodeTest, a_state_is_told_if_a_function_that_means_it_is_known) {
  const auto tells = [&](State state) {
    return native_.tells().test(static_cast<std::size_t>(state));
  };
  EXPECT_TRUE(tells(State::gc));
  EXPECT_TRUE(tells(State::busy_wait)) << "by erts_schedule";
  EXPECT_TRUE(tells(State::emulator));
  EXPECT_FALSE(tells(State::port)) << "this program has no such function";
  EXPECT_FALSE(tells(State::timers));
  EXPECT_FALSE(tells(State::gc_full));
}

TEST_F(NativeCodeTest, what_a_call_at_the_very_end_returns_to_is_the_caller) {
  // A return address may stand behind its function, where another begins.
  EXPECT_EQ(native_.at(OwnCode::begin(copy_struct_x), true).name, "copy_struct_x");
  EXPECT_NE(native_.at(OwnCode::begin(copy_struct_x), false).name, "copy_struct_x");
}

TEST_F(NativeCodeTest, a_library_has_no_part_in_the_states_of_the_vm) {
  const auto& sorting = native_.at(OwnCode::inside(std::qsort), true);
  EXPECT_FALSE(sorting.in_executable);
  EXPECT_EQ(sorting.effect, Effect::none);
  EXPECT_NE(sorting.object, 0U);
  EXPECT_NE(sorting.object, native_.at(OwnCode::inside(copy_struct_x), true).object);
}

TEST_F(NativeCodeTest, the_system_calls_by_which_a_scheduler_waits_are_libcs) {
  EXPECT_EQ(native_.at(OwnCode::inside(poll), true).effect, Effect::poll_wait);
  EXPECT_EQ(native_.at(OwnCode::inside(sched_yield), true).effect, Effect::yields);
}

TEST_F(NativeCodeTest, where_no_file_is_nothing_is_known) {
  const auto& unknown = native_.at(8, true);
  EXPECT_EQ(unknown.start, 0U);
  EXPECT_EQ(unknown.object, 0U);
  EXPECT_FALSE(unknown.exported);
}

TEST_F(NativeCodeTest, blame_is_by_function_and_by_family) {
  native_.blame({"garbage_collect", "helper_of_copying", "copy_struct"});
  EXPECT_EQ(native_.at(OwnCode::inside(erts_garbage_collect), true).families, 0b001U);
  EXPECT_EQ(native_.at(OwnCode::inside(helper_of_copying), true).families, 0b010U);
  EXPECT_EQ(native_.at(OwnCode::inside(copy_struct_x), true).families, 0b100U);
  EXPECT_EQ(native_.at(OwnCode::inside(erts_schedule), true).families, 0U);
  native_.blame({"copy_struct"});
  EXPECT_EQ(native_.at(OwnCode::inside(copy_struct_x), true).families, 0b1U);
  EXPECT_EQ(native_.at(OwnCode::inside(helper_of_copying), true).families, 0U);
}

TEST_F(NativeCodeTest, natives_that_no_file_has_are_told_by_name) {
  native_.blame({"copy_struct", "no_such_function", "qsort", "nor_this_one"});
  EXPECT_THAT(native_.unknown_natives(), ElementsAre("no_such_function", "nor_this_one"));
  native_.blame({"copy_struct"});
  EXPECT_THAT(native_.unknown_natives(), IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::attribution
