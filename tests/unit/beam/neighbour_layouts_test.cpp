#include "beam/neighbour_layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A VM of a release that nobody knows yet, which is like this one.
class NeighbourLayoutsTest : public tests::EachRelease {
 protected:
  NeighbourLayoutsTest() {
    auto unknown = tests::shipped_layout(GetParam());
    unknown.otp_release = "77";
    vm.emplace(unknown);
  }
  os::Result<std::unique_ptr<VirtualMachine>> fitting(const std::vector<std::string>& releases) {
    std::vector<Layout> layouts;
    for (const auto& release : releases) layouts.push_back(tests::shipped_layout(release));
    return first_that_fits(layouts, [&](Layout layout) {
      tried.push_back(layout.otp_release);
      return vm->attach_by(std::move(layout));
    });
  }

  std::optional<tests::FakeVm> vm;
  std::vector<std::string> tried;
};
INSTANTIATE_TEST_SUITE_P(Releases, NeighbourLayoutsTest, tests::each_jit_release,
                         tests::release_name);

TEST_P(NeighbourLayoutsTest, the_one_that_passes_every_check_is_taken_and_said_to_be_of_another) {
  const std::string wrong = GetParam() == "27" ? "25" : "27";
  const auto attached = fitting({wrong, GetParam(), wrong});
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_EQ((*attached)->layout().otp_release, GetParam());
  EXPECT_EQ((*attached)->release().otp_release, "77");
  EXPECT_THAT(tried, ::testing::ElementsAre(wrong, GetParam()));
  EXPECT_THAT(layout_doubt(**attached),
              AllOf(HasSubstr("no layout for OTP 77"), HasSubstr("otp-" + GetParam() + "-jit"),
                    Not(HasSubstr("\n"))));
}

TEST_P(NeighbourLayoutsTest, when_none_fits_each_is_named_with_its_reason) {
  const std::string wrong = GetParam() == "27" ? "25" : "27";
  const auto attached = fitting({wrong, GetParam() == "26" ? "29" : "26"});
  ASSERT_FALSE(attached);
  EXPECT_EQ(attached.error().kind, os::ErrorKind::malformed);
  EXPECT_THAT(attached.error().text, AllOf(HasSubstr("otp-" + wrong + "-jit: "),
                                           HasSubstr("; otp-"), Not(HasSubstr("\n"))));
}

TEST_P(NeighbourLayoutsTest, the_layout_of_its_own_release_is_in_no_doubt) {
  const auto attached = tests::FakeVm(tests::shipped_layout(GetParam())).attach();
  ASSERT_TRUE(attached);
  EXPECT_EQ(layout_doubt(**attached), "");
}

}  // namespace
}  // namespace beam_exporter::beam
