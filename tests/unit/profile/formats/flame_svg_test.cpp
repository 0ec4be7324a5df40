#include "profile/formats/flame_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/stack_table.h"
#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

// The part of the svg that draws the first box of that name and level.
std::string drawn(const std::string& svg, const std::string& name, int level) {
  const auto begin =
      svg.find("data-y=\"" + std::to_string(level) + "\" data-name=\"" + name + "\"");
  return begin == std::string::npos ? "none" : svg.substr(begin, svg.find("</g>", begin) - begin);
}

TEST(FlameSvg, tells_the_share_the_time_and_the_states_of_a_box) {
  Profile profile = small_profile();
  profile.entries.push_back({0, 1, 6, milliseconds(60)});  // lists:sort/1 in the state "bif"
  const auto svg = flame_svg(profile);
  const auto sort = drawn(svg, "lists:sort/1", 2);
  EXPECT_THAT(
      sort,
      HasSubstr(
          "lists:sort/1: 64.00 %, 0.160 s of CPU time, 16 samples; emulator 62 %, bif 38 %<"));
  EXPECT_THAT(
      sort,
      HasSubstr(
          "data-kind=\"erlang\" data-app=\"lists\" data-own=\"bif:60000:6 emulator:100000:10\""));
  EXPECT_THAT(drawn(svg, "shop:run/1", 1), HasSubstr("emulator 62 %, bif 38 %<"))
      << "with what it calls";
  EXPECT_THAT(drawn(svg, "shop:run/1", 1), Not(HasSubstr("data-own"))) << "nothing is its own";
  EXPECT_THAT(drawn(svg, "all", 0), HasSubstr("25 samples; emulator 56 %, bif 44 %<"));
  EXPECT_THAT(drawn(svg, "MyApp.Foo.bar/1", 1), HasSubstr("data-app=\"MyApp\""));
  EXPECT_THAT(drawn(svg, "copy_struct", 5),
              HasSubstr("data-kind=\"native\" data-app=\"C\" data-own=\"bif:50000:5\""));
}

TEST(FlameSvg, has_its_script_and_names_cannot_leave_their_place) {
  Profile profile = small_profile();
  profile.functions[1].name = "</script>\"'><b onload=x>]]>/1";
  profile.target = "<b>";
  const auto svg = flame_svg(profile);
  EXPECT_THAT(svg, HasSubstr("function childrenOf("));
  EXPECT_LT(svg.find("<title>"), svg.find("<g "))
      << "without, Chromium needs 11 s for 20,000 boxes";
  EXPECT_THAT(svg, HasSubstr("function drawLegend("));
  EXPECT_THAT(svg, Not(HasSubstr("<b")));
  for (const std::string end : {"</script>", "]]>"})  // of the picture itself, once
    EXPECT_EQ(svg.find(end), svg.rfind(end)) << end;
}

TEST(FlameSvg, draws_the_deepest_stack_that_a_profile_may_have) {
  Profile profile = small_profile();
  profile.stacks[profile.entries[0].stack].assign(StackTable::most_depth, 0);
  EXPECT_THAT(flame_svg(profile), HasSubstr("data-y=\"4096\""));
}

TEST(FlameSvg, of_nothing_is_a_picture_too) {
  const auto svg = flame_svg(Profile{});
  EXPECT_THAT(svg, HasSubstr("0 samples in 0.0 s"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("<script"))) << "it needs a box";
  EXPECT_THAT(svg, Not(HasSubstr("too narrow")));
}

}  // namespace
}  // namespace beam_exporter::profile
