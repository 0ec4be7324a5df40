#include "commands/tools/top/top_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::commands {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(TopText, has_the_vm_its_load_and_a_table) {
  const auto told = top_text(profile::small_profile(), {}, 1);
  EXPECT_THAT(told.head, ElementsAre(HasSubstr("OTP 27 (erts 15.2.7, jit), pid 42: 19 samples"),
                                     "0.10 CPUs: normal 1 7 %, normal 2 2 %",
                                     "states: emulator 74 %, bif 26 %"));
  EXPECT_THAT(told.head.front(), HasSubstr("1 more were lost"));
  EXPECT_THAT(told.titles, EndsWith("function"));
  EXPECT_THAT(told.rows, ElementsAre(" 52.63 % 20.48   52.63 %  erlang  emulator   lists:sort/1"));
}

TEST(TopText, says_that_shares_are_of_one_thread) {
  const auto told =
      top_text(profile::small_profile(), {.thread = beam::ThreadRole{.number = 2}}, 1);
  EXPECT_THAT(told.head.back(), StartsWith("5 of the samples are of the thread normal 2"));
  EXPECT_THAT(told.rows.front(), StartsWith("100.00 %"));
}

TEST(TopText, shows_processes_with_their_functions) {
  const auto told = top_text(profile::small_profile(), {.view = TopView::processes}, 2);
  EXPECT_THAT(told.rows,
              ElementsAre(HasSubstr("emulator   shop                            lists:sort/1"),
                          HasSubstr("bif        MyApp.Repo                      lists:reverse/2")));
}

TEST(TopText, draws_stacks) {
  const auto told = top_text(profile::small_profile(), {.view = TopView::flame}, 2);
  EXPECT_EQ(told.titles, "each box stands below its caller; not shown: 4 deeper levels");
  ASSERT_EQ(told.rows.size(), 2u);
  EXPECT_EQ(told.rows[0].size(), flame_columns);
  EXPECT_THAT(told.rows[1], HasSubstr("][shop:run/1 53 %"));
}

TEST(TopText, cannot_steer_a_terminal) {
  auto profile = profile::small_profile();
  profile.functions[1].name = "\x1b[2Jsort/1\r\n";
  const auto told = top_text(profile, {}, 1);
  EXPECT_THAT(told.rows.front(), EndsWith("lists:\\x1B[2Jsort/1\\x0D\\x0A"));
}

TEST(TopText, of_a_vm_that_did_not_run_has_no_rows) {
  auto profile = profile::small_profile();
  profile.entries.clear();
  const auto told = top_text(profile, {}, 10);
  EXPECT_THAT(told.head, ElementsAre(HasSubstr("no thread of the VM ran")));
  EXPECT_TRUE(told.rows.empty());
}

}  // namespace
}  // namespace beam_exporter::commands
