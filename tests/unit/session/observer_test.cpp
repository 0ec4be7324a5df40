#include "session/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace beam_exporter::session {
namespace {

using os::ErrorKind;
using testing::HasSubstr;

// The life of an observer without a VM; with one: tests/integration.
class ObserverTest : public testing::Test {
 protected:
  ObserverTest() { settings_.target.match = "no VM has this on its command line"; }

  std::unique_ptr<Observer> observer() {
    auto library = beam::LayoutLibrary::load();
    if (!library) ADD_FAILURE() << library.error().text;
    return std::make_unique<Observer>(settings_, std::move(*library), latest_, recorder_, asked_);
  }

  settings::Settings settings_;
  totals::LatestSnapshot latest_;
  profile::Recorder recorder_;
  collectors::AskedLooks asked_;
};

TEST_F(ObserverTest, a_vm_that_is_not_there_yet_is_no_error) {
  const auto observer = this->observer();
  const auto attached = observer->attach_now();
  EXPECT_TRUE(attached) << attached.error().text;
}

TEST_F(ObserverTest, a_vm_that_was_named_must_be_there) {
  settings_.target.pid = 0x7fffffff;
  const auto observer = this->observer();
  const auto attached = observer->attach_now();
  ASSERT_FALSE(attached);
  EXPECT_EQ(attached.error().kind, ErrorKind::not_found);
  EXPECT_THAT(attached.error().text, HasSubstr("2147483647"));
}

TEST_F(ObserverTest, a_process_that_is_no_vm_is_refused_by_its_pid) {
  settings_.target.pid = getpid();
  const auto observer = this->observer();
  const auto attached = observer->attach_now();
  ASSERT_FALSE(attached);
  EXPECT_THAT(attached.error().text, HasSubstr("process " + std::to_string(getpid())));
}

TEST_F(ObserverTest, publishes_from_the_start_why_there_is_nothing) {
  const auto observer = this->observer();
  const auto empty = latest_.newest();
  ASSERT_TRUE(observer->attach_now());
  observer->start();
  const auto first = latest_.newest();
  ASSERT_NE(first, empty);
  EXPECT_FALSE(first->up);
  EXPECT_THAT(first->down_reason, HasSubstr("no VM has this on its command line"));
  EXPECT_FALSE(first->vm || first->process || first->vm_cpu_user_seconds);
  EXPECT_EQ(first->target_restarts, 0);
  EXPECT_FALSE(first->own.features.empty());
  for (const auto& [feature, enabled] : first->own.features) EXPECT_FALSE(enabled) << feature;
  EXPECT_FALSE(first->samples.lost.empty());
  // It goes on looking.
  while (latest_.newest() == first) std::this_thread::yield();
}

TEST_F(ObserverTest, ends_at_once_whenever_it_is_told_to) {
  observer().reset();  // never started
  const auto stopped_twice = observer();
  stopped_twice->start();
  stopped_twice->stop();
  stopped_twice->stop();
  for (int round = 0; round < 20; ++round) {
    const auto ended_early = observer();
    ended_early->start();
    std::this_thread::yield();
  }
}

TEST_F(ObserverTest, takes_settings_from_any_thread_while_it_runs) {
  const auto observer = this->observer();
  observer->start();
  const auto apply = [&](int most) {
    for (int top = 1; top <= most; ++top) {
      settings::Settings fresh = settings_;
      fresh.functions.top = top;
      observer->apply(fresh);
    }
  };
  std::thread one(apply, 100), two(apply, 200);
  one.join();
  two.join();
  const auto before = latest_.newest();
  while (latest_.newest() == before) std::this_thread::yield();
}

}  // namespace
}  // namespace beam_exporter::session
