#include "profile/label_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

using std::chrono::milliseconds;

TEST(LabelTimes, adds_up_the_samples_of_equal_labels) {
  const auto times = label_times<std::string>(small_profile(), [](const Labels& labels) {
    return labels.process == "MyApp.Repo" ? std::nullopt : std::optional(labels.state);
  });
  ASSERT_EQ(times.size(), 1);
  EXPECT_EQ(times.at("emulator").samples, 14);
  EXPECT_EQ(times.at("emulator").cpu_time, milliseconds(140));
}

}  // namespace
}  // namespace beam_exporter::profile
