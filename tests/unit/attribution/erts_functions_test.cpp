#include "attribution/erts_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace beam_exporter::attribution
