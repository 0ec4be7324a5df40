#include "session/unproven_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "fakes/fake_vm.h"

namespace beam_exporter::session {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// What is logged, and whether that was the last word.
struct Told {
  bool over = false;
  std::string log;
};

Told told(const beam::VirtualMachine& vm, sampling::InterpreterProofs proofs) {
  testing::internal::CaptureStderr();
  const bool over = told_of_places(vm, proofs);
  return {over, testing::internal::GetCapturedStderr()};
}

std::string field(std::string_view variable, const beam::InterpreterPlace& place) {
  return " " + std::string(variable) + "=" + place_text(place) + " ";
}

class UnprovenPlacesTest : public testing::Test {
 protected:
  explicit UnprovenPlacesTest(const std::string& release) : vm_(tests::shipped_layout(release)) {}
  void SetUp() override {
    auto attached = vm_.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
  }
  tests::FakeVm vm_;
  std::unique_ptr<beam::VirtualMachine> attached_;
};

struct OfAnInterpreter : UnprovenPlacesTest {
  OfAnInterpreter() : UnprovenPlacesTest("25-emu") {}
};
struct OfTheJit : UnprovenPlacesTest {
  OfTheJit() : UnprovenPlacesTest("25") {}
};

TEST_F(OfAnInterpreter, few_samples_tell_nothing_yet) {
  const Told now = told(*attached_, {.held = 0, .failed = 99});
  EXPECT_FALSE(now.over);
  EXPECT_THAT(now.log, IsEmpty());
}

TEST_F(OfAnInterpreter, places_that_mostly_hold_are_right) {
  const Told now = told(*attached_, {.held = 60, .failed = 40});
  EXPECT_TRUE(now.over);
  EXPECT_THAT(now.log, IsEmpty());
}

TEST_F(OfAnInterpreter, places_that_mostly_fail_are_named_in_one_line) {
  const Told now = told(*attached_, {.held = 40, .failed = 61});
  EXPECT_TRUE(now.over);
  const auto& places = attached_->interpreter()->places;
  EXPECT_THAT(now.log, AllOf(HasSubstr("level=warn"), HasSubstr(field("I", places.instruction)),
                             HasSubstr(field("E", places.stack)), HasSubstr(" failed=61")));
  EXPECT_EQ(std::ranges::count(now.log, '\n'), 1);
}

TEST_F(OfTheJit, there_is_nothing_to_prove) { EXPECT_TRUE(told(*attached_, {}).over); }

}  // namespace
}  // namespace beam_exporter::session
