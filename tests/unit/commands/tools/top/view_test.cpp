#include "commands/tools/top/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::commands {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Each row as "name self inclusive kind state".
std::vector<std::string> shown(const TopChoice& choice, std::size_t most = 100) {
  std::vector<std::string> lines;
  for (const auto& row : top_rows(profile::small_profile(), choice, most).rows)
    lines.push_back(row.name + " " + std::to_string(row.self) + " " +
                    std::to_string(row.inclusive) + " " + std::string(row.kind) + " " + row.state);
  return lines;
}

TEST(TopRows, are_sorted_by_self_or_by_inclusive) {
  EXPECT_THAT(shown({}), ElementsAre("lists:sort/1 10 10 erlang emulator",
                                     "lists:reverse/2 5 5 bif bif", "[signals] 4 4 other emulator",
                                     "shop:run/1 0 15 erlang ", "MyApp.Foo.bar/1 0 5 erlang "));
  EXPECT_THAT(shown({.by_inclusive = true}, 2),
              ElementsAre("shop:run/1 0 15 erlang ", "lists:sort/1 10 10 erlang emulator"));
}

TEST(TopRows, give_the_time_of_bifs_to_their_callers_when_asked) {
  EXPECT_THAT(shown({.only_erlang = true}, 2),
              ElementsAre("lists:sort/1 10 10 erlang emulator", "shop:run/1 5 15 erlang bif"));
}

TEST(TopRows, of_what_is_called_are_bifs_and_nifs_alone) {
  EXPECT_THAT(shown({.view = TopView::called}), ElementsAre("lists:reverse/2 5 5 bif bif"));
  // There would be none left.
  EXPECT_THAT(shown({.view = TopView::called, .only_erlang = true}),
              ElementsAre("lists:reverse/2 5 5 bif bif"));
}

TEST(TopRows, of_processes_tell_their_hottest_function) {
  auto profile = profile::small_profile();
  profile.labels.push_back({"aux", 1, "aux", ""});
  profile.entries.push_back({2, 2, 1, {}});
  const auto rows = top_rows(profile, {.view = TopView::processes}, 100).rows;
  std::vector<std::string> lines;
  for (const auto& row : rows)
    lines.push_back(row.name + " " + std::to_string(row.self) + " " + row.state + " " +
                    row.function);
  EXPECT_THAT(lines,
              ElementsAre("shop 14 emulator lists:sort/1", "MyApp.Repo 5 bif lists:reverse/2",
                          "[no process] 1 aux [signals]"));
}

TEST(TopRows, of_states_tell_their_hottest_function) {
  const auto rows =
      top_rows(profile::small_profile(), {.view = TopView::states, .filter = "no such"}, 100).rows;
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].name + " " + std::to_string(rows[0].self) + " " + rows[0].function,
            "emulator 14 lists:sort/1");
  EXPECT_EQ(rows[1].name + " " + std::to_string(rows[1].self) + " " + rows[1].function,
            "bif 5 lists:reverse/2");
}

TEST(TopRows, pass_the_filter_by_module_or_process) {
  EXPECT_THAT(shown({.filter = "ist"}),
              ElementsAre("lists:sort/1 10 10 erlang emulator", "lists:reverse/2 5 5 bif bif"));
  EXPECT_THAT(shown({.filter = "sort"}), IsEmpty());
  EXPECT_THAT(shown({.view = TopView::processes, .filter = "Repo"}),
              ElementsAre("MyApp.Repo 5 5  bif"));
}

TEST(TopRows, are_of_the_chosen_thread) {
  const TopChoice second{.thread = beam::ThreadRole{.number = 2}};
  EXPECT_EQ(top_rows(profile::small_profile(), second, 100).samples, 5);
  EXPECT_THAT(shown(second, 1), ElementsAre("lists:reverse/2 5 5 bif bif"));
  const TopChoice dirty{.thread = beam::ThreadRole{beam::ThreadKind::dirty_io, 2}};
  EXPECT_EQ(top_rows(profile::small_profile(), dirty, 100).samples, 0);
  EXPECT_THAT(shown(dirty), IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::commands
