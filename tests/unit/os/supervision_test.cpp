#include "os/supervision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <system_error>
#include <vector>

namespace beam_exporter::os {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

TEST(FailureOf, what_goes_well_is_none) {
  bool done = false;
  EXPECT_EQ(failure_of([&] { done = true; }), std::nullopt);
  EXPECT_TRUE(done);
}

TEST(FailureOf, whatever_is_thrown_becomes_one_line) {
  EXPECT_EQ(failure_of([] { throw std::bad_alloc(); }), "out of memory");
  EXPECT_EQ(failure_of([] { throw std::length_error("too long"); }), "too long");
  EXPECT_EQ(failure_of([] { throw 7; }), "unknown");
  const std::function<void()> nothing;
  EXPECT_NE(failure_of(nothing), std::nullopt);
}

TEST(FailureOf, a_thread_that_cannot_be_started_names_the_limits) {
  const auto error = std::make_error_code(std::errc::resource_unavailable_try_again);
  EXPECT_THAT(failure_of([&] { throw std::system_error(error); }),
              Optional(AllOf(HasSubstr("pids.max"), HasSubstr("ulimit -u"))));
}

TEST(Backoff, doubles_up_to_a_minute) {
  Backoff backoff;
  std::vector<int> waits;
  seconds now(100);
  for (int k = 0; k < 8; ++k) {
    const auto wait = backoff.after_failure(now);
    waits.push_back(static_cast<int>(wait.count()));
    now += wait;
  }
  EXPECT_THAT(waits, ElementsAre(1, 2, 4, 8, 16, 32, 60, 60));
}

TEST(Backoff, begins_anew_after_a_time_without_failure) {
  Backoff backoff;
  (void)backoff.after_failure(seconds(1));
  EXPECT_EQ(backoff.after_failure(seconds(2)), seconds(2));
  EXPECT_EQ(backoff.after_failure(seconds(1000)), seconds(1));
}

}  // namespace
}  // namespace beam_exporter::os
