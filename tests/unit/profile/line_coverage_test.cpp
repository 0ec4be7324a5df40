#include "profile/line_coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// The line tables of the modules of small_profile(), and a function that never runs.
std::vector<FunctionLines> known_lines() {
  const auto profile = small_profile();
  return {{.function = profile.functions[0],
           .head = {"shop.erl", 9},
           .lines = {{"shop.erl", 9}, {"shop.erl", 10}, {"shop.erl", 12}, {"shop.hrl", 3}}},
          {.function = {.kind = FunctionKind::erlang, .module = "shop", .name = "never,/0"},
           .head = {"shop.erl", 40},
           .lines = {{"shop.erl", 40}}}};
}

TEST(LineCoverage, counts_the_samples_of_known_and_of_new_lines) {
  auto coverage = line_coverage(small_profile(), known_lines(), {});
  EXPECT_THAT(coverage["shop.erl"].lines,
              ElementsAre(Pair(9, 0), Pair(10, 15), Pair(11, 5), Pair(12, 0), Pair(40, 0)))
      << "line 11 is in no line table: its module was loaded later";
  EXPECT_THAT(coverage["shop.hrl"].lines, ElementsAre(Pair(3, 0)));
  EXPECT_THAT(coverage["lists.erl"].lines, ElementsAre(Pair(20, 10)));
  // 15 samples, one of which has run/1 twice.
  EXPECT_EQ(coverage["shop.erl"].functions["shop:run/1"].samples, 15u);
  EXPECT_EQ(coverage["shop.erl"].functions["shop:run/1"].line, 9u);
  EXPECT_EQ(coverage["shop.erl"].functions["shop:never,/0"].samples, 0u);
  EXPECT_EQ(coverage["lists.erl"].functions["lists:sort/1"].line, 20u) << "its head is not known";
  EXPECT_EQ(coverage["lib/foo.ex"].functions["MyApp.Foo.bar/1"].samples, 5u);
  EXPECT_EQ(coverage.size(), 4u) << "BIFs and C functions have no source";
}

TEST(LineCoverage, takes_the_modules_and_the_paths_that_are_wanted) {
  const auto coverage =
      line_coverage(small_profile(), known_lines(),
                    {.modules = {"shop"}, .path = [](const std::string& file) {
                       return file == "shop.erl" ? std::optional("/src/" + file) : std::nullopt;
                     }});
  ASSERT_EQ(coverage.size(), 1u);
  EXPECT_EQ(coverage.at("/src/shop.erl").functions.size(), 2u);
}

TEST(LineCoverage, is_written_as_lcov_reads_it) {
  const auto coverage = line_coverage(small_profile(), known_lines(), {.modules = {"shop"}});
  EXPECT_THAT(lcov(coverage), HasSubstr("never seen"));
  EXPECT_THAT(
      lcov(coverage),
      HasSubstr("TN:\nSF:shop.erl\nFN:40,shop:never./0\nFN:9,shop:run/1\n"
                "FNDA:0,shop:never./0\nFNDA:15,shop:run/1\nFNF:2\nFNH:1\n"
                "DA:9,0\nDA:10,15\nDA:11,5\nDA:12,0\nDA:40,0\nLF:5\nLH:2\nend_of_record\n"));
}

}  // namespace
}  // namespace beam_exporter::profile
