#include "attribution/erts_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "own_file.h"

namespace beam_exporter::attribution {
namespace {

using testing::Contains;
using testing::ElementsAre;

Effect effect(std::string name) {
  const std::vector<std::string> names = {std::move(name)};
  return effect_of(names);
}

TEST(ErtsFunctions, a_whole_name_or_a_beginning_as_the_row_says) {
  EXPECT_EQ(effect("erts_schedule"), Effect::scheduling);
  EXPECT_EQ(effect("erts_schedule_misc_op"), Effect::none);
  EXPECT_EQ(effect("erts_alcu_alloc_thr_pref"), Effect::alloc);
  EXPECT_EQ(effect("_Z17beam_jit_call_nifP7processPKvPmPFmP16enif_environment_tiPmEP6Module"),
            Effect::nif);
  EXPECT_EQ(effect("_Z17beam_jit_call_bifP7processPmPKvPFmS0_S1_S3_Em"), Effect::bif);
  EXPECT_EQ(effect("beam_jit_call_nif"), Effect::nif) << "OTP 24";
  EXPECT_EQ(effect("beam_jit_call_bif"), Effect::bif) << "OTP 24";
  EXPECT_EQ(effect("ppoll"), Effect::poll_wait);
  EXPECT_EQ(effect(""), Effect::none);
}

TEST(ErtsFunctions, any_name_of_a_function_will_do) {
  const std::vector<std::string> names = {"an_alias", "erts_garbage_collect"};
  EXPECT_EQ(effect_of(names), Effect::gc);
  EXPECT_EQ(effect_of({}), Effect::none);
}

TEST(ErtsFunctions, families) {
  EXPECT_THAT(members_of_family("copy_struct"), Contains("copy_struct_x"));
  EXPECT_THAT(members_of_family("copy_struct"), testing::Not(Contains("")));
  EXPECT_THAT(members_of_family("garbage_collect"), Contains("erts_garbage_collect"));
  EXPECT_THAT(members_of_family("enif_alloc"), ElementsAre("enif_alloc"));
}

TEST(ErtsFunctions, a_collection_hides_copies_but_nothing_that_was_asked_for_by_name) {
  EXPECT_TRUE(is_hidden_in_collections("copy_struct"));
  EXPECT_FALSE(is_hidden_in_collections("garbage_collect"));
  EXPECT_FALSE(is_hidden_in_collections("copy_struct_x"));
}

TEST(ErtsFunctions, what_cancels_a_timer_works_for_timers_too) {
  EXPECT_EQ(effect("erts_twheel_set_timer"), Effect::timers);
  EXPECT_EQ(effect("erts_twheel_cancel_timer"), Effect::timers);
}

using UnstrippedFile = OwnFile;

TEST_F(UnstrippedFile, a_static_function_is_a_part_of_a_bif_whether_a_symbol_names_it_or_not) {
  const auto first = place("first_bif"), second = place("second_bif");
  const auto parts = parts_of(
      calls_, symbols_, [&](std::uint64_t caller) { return caller == first || caller == second; });
  const auto found = parts.find(place("first_helper"));
  ASSERT_NE(found, parts.end());
  EXPECT_THAT(found->second, ElementsAre(first));
  EXPECT_FALSE(parts.contains(place("shared_helper"))) << "another function calls it too";
  EXPECT_FALSE(parts.contains(place("erts_schedule"))) << "other files see it";
}

TEST_F(UnstrippedFile, static_functions_are_told_by_their_symbols) {
  const auto known = static_functions(calls_, symbols_);
  EXPECT_TRUE(known.empty()) << "this program has none of those";
  EXPECT_FALSE(symbols_.named("first_helper")->exported);
  EXPECT_TRUE(symbols_.named("first_bif")->exported);
}

}  // namespace
}  // namespace beam_exporter::attribution
