#include "os/process/descriptors.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::os {
namespace {

using testing::HasSubstr;

UniqueFd opened() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// Changes our own limit, and gives it back.
class Descriptors : public testing::Test {
 protected:
  Descriptors() { getrlimit(RLIMIT_NOFILE, &before_); }
  ~Descriptors() override { setrlimit(RLIMIT_NOFILE, &before_); }
  void limit(rlim_t soft) {
    const rlimit now{soft, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
  }
  rlimit before_{};
};

TEST_F(Descriptors, the_limit_becomes_the_hard_one) {
  limit(64);
  EXPECT_EQ(descriptor_limit(), 64u);
  raise_descriptor_limit();
  EXPECT_EQ(descriptor_limit(), before_.rlim_max);
}

TEST_F(Descriptors, who_keeps_to_it_leaves_the_reserve) {
  for (const rlim_t soft : {rlim_t{400}, rlim_t{64}}) {
    limit(soft);
    const rlim_t reserve = std::min<rlim_t>(reserved_descriptors, soft / 2);
    std::vector<UniqueFd> open;
    for (auto fd = opened(); fd && leaves_reserve(fd); fd = opened()) open.push_back(std::move(fd));
    const auto complaint = leaves_reserve(opened());
    ASSERT_FALSE(complaint);
    EXPECT_THAT(complaint.error().text, HasSubstr(std::to_string(soft) + " files"));
    std::vector<UniqueFd> rest;
    for (auto fd = opened(); fd; fd = opened()) rest.push_back(std::move(fd));
    EXPECT_EQ(rest.size(), reserve);
  }
}

TEST_F(Descriptors, as_many_are_left_as_can_be_opened_above_the_reserve) {
  limit(400);
  const auto left = descriptors_left();
  std::vector<UniqueFd> open;
  for (auto fd = opened(); fd && leaves_reserve(fd); fd = opened()) open.push_back(std::move(fd));
  EXPECT_NEAR(static_cast<double>(open.size()), static_cast<double>(left), 2);  // it reads a folder
  EXPECT_LE(descriptors_left(), 2u);
  limit(1);
  EXPECT_EQ(descriptors_left(), 0u);
}

TEST_F(Descriptors, without_any_left_no_process_is_called_ended) {
  const auto self = Process::open(getpid());
  ASSERT_TRUE(self);
  limit(0);
  EXPECT_TRUE(self->running());
  limit(before_.rlim_max);
  EXPECT_TRUE(self->running());
}

}  // namespace
}  // namespace beam_exporter::os
