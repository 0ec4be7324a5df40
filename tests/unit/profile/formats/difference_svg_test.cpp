#include "profile/formats/difference_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/stack_table.h"
#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

using testing::HasSubstr;

// The part of the svg that draws the first box of that name.
std::string box(const std::string& svg, const std::string& name) {
  const auto begin = svg.find("data-name=\"" + name + "\"");
  return begin == std::string::npos ? "none" : svg.substr(begin, svg.find("</g>", begin) - begin);
}

// small_profile() with as many samples in each entry.
Profile scaled(std::array<std::uint64_t, 3> samples, std::chrono::seconds duration) {
  Profile profile = small_profile();
  for (std::size_t k = 0; k < samples.size(); ++k) {
    profile.entries[k].samples = samples[k];
    profile.entries[k].cpu_time = profile.period * samples[k];
  }
  std::erase_if(profile.entries, [](const Entry& entry) { return entry.samples == 0; });
  profile.duration = duration;
  return profile;
}

TEST(DifferenceSvg, red_grew_blue_shrank_and_callers_keep_grey) {
  // 10 ms each. Twice the time: what did not change has twice the samples.
  const auto svg = difference_svg(scaled({1000, 5000, 400}, std::chrono::seconds(100)),
                                  scaled({8000, 4000, 800}, std::chrono::seconds(200)));
  EXPECT_THAT(box(svg, "lists:sort/1"), HasSubstr("fill=\"hsl(0 90% 64%)\""))
      << "the largest change";
  EXPECT_THAT(box(svg, "lists:sort/1"), HasSubstr("before 100.0, after 400.0 CPU ms per second"));
  EXPECT_THAT(box(svg, "copy_struct"), HasSubstr("fill=\"hsl(215 "));
  for (const auto* unchanged : {"[signals]", "shop:run/1", "MyApp.Foo.bar/1", "all"})
    EXPECT_THAT(box(svg, unchanged), HasSubstr("fill=\"hsl(0 0% 86%)\"")) << unchanged;
  // 12,800 samples: the width is that of `after`.
  EXPECT_THAT(svg, HasSubstr("data-w=\"0.0625\" data-y=\"1\" data-name=\"[signals]\""));
}

TEST(DifferenceSvg, a_change_that_may_be_chance_is_grey) {
  const auto svg = difference_svg(scaled({10, 50, 4}, std::chrono::seconds(1)),
                                  scaled({12, 48, 4}, std::chrono::seconds(1)));
  EXPECT_THAT(box(svg, "lists:sort/1"), HasSubstr("hsl(0 0% 86%)"));
  EXPECT_THAT(box(svg, "copy_struct"), HasSubstr("hsl(0 0% 86%)"));
}

TEST(DifferenceSvg, says_how_much_has_vanished_and_may_be_empty) {
  const auto gone = difference_svg(scaled({1000, 0, 400}, std::chrono::seconds(10)),
                                   scaled({1000, 0, 0}, std::chrono::seconds(10)));
  EXPECT_EQ(box(gone, "[signals]"), "none");
  EXPECT_THAT(gone, HasSubstr("400.0 CPU ms per second of before are in stacks that are gone"));
  const auto fresh = difference_svg(Profile{}, scaled({1000, 0, 0}, std::chrono::seconds(10)));
  EXPECT_THAT(box(fresh, "lists:sort/1"), HasSubstr("before 0.0, after 1000.0"));
  EXPECT_THAT(difference_svg(Profile{}, Profile{}), HasSubstr("</svg>"));
}

TEST(DifferenceSvg, draws_the_deepest_stack_that_a_profile_may_have) {
  Profile profile = small_profile();
  profile.stacks[profile.entries[0].stack].assign(StackTable::most_depth, 0);
  EXPECT_FALSE(difference_svg(profile, profile).empty());
}

}  // namespace
}  // namespace beam_exporter::profile
