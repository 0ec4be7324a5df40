#include "profile/recorder.h"

#include <gtest/gtest.h>

#include <thread>

namespace beam_exporter::profile {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

// The observing thread: one sample of a function with that name, of 1 ms.
void sample(Recorder& recorder, const std::string& name) {
  Recorder::Batch batch(recorder);
  if (!batch.wanted()) return;
  const std::vector<Index> stack{*batch.frame({.name = name}, 0)};
  batch.add(stack, {.thread = "normal"}, milliseconds(1));
}

Recorder::Source source() { return {"a VM", milliseconds(10)}; }

TEST(Recorder, records_nothing_while_nobody_asks) {
  Recorder recorder;
  recorder.begin(source());
  EXPECT_FALSE(recorder.wanted());
  sample(recorder, "f");
  auto window = recorder.open();
  ASSERT_TRUE(window);
  EXPECT_TRUE(recorder.wanted());
  EXPECT_EQ(window->finish().samples(), 0u);
  EXPECT_FALSE(recorder.wanted());
}

TEST(Recorder, gives_each_window_what_came_while_it_was_open) {
  Recorder recorder;
  recorder.begin(source());
  auto first = recorder.open();
  ASSERT_TRUE(first);
  sample(recorder, "f");
  auto second = recorder.open();
  ASSERT_TRUE(second);
  sample(recorder, "f");
  sample(recorder, "g");
  const auto later = second->finish();
  EXPECT_EQ(later.samples(), 2u);
  EXPECT_EQ(later.cpu_time(), milliseconds(2));
  sample(recorder, "g");
  const auto whole = first->finish();
  EXPECT_EQ(whole.samples(), 4u);
  EXPECT_EQ(whole.entries.size(), 2u);
  EXPECT_EQ(whole.target, "a VM");
  EXPECT_EQ(whole.period, milliseconds(10));
}

TEST(Recorder, numbers_of_frames_are_new_after_a_pause) {
  Recorder recorder;
  recorder.begin(source());
  const auto epoch = [&] { return Recorder::Batch(recorder).epoch(); };
  { const auto window = recorder.open(); }
  const auto before = epoch();
  const auto window = recorder.open();
  EXPECT_NE(epoch(), before);
}

TEST(Recorder, refuses_more_windows_than_it_has_and_frees_those_that_are_left) {
  Recorder recorder;
  recorder.begin(source());
  {
    std::vector<Recorder::Window> windows;
    for (std::size_t k = 0; k < Recorder::most_windows; ++k) {
      auto window = recorder.open();
      ASSERT_TRUE(window);
      windows.push_back(std::move(*window));
    }
    const auto refused = recorder.open();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, os::ErrorKind::system);
  }
  EXPECT_TRUE(recorder.open());
}

TEST(Recorder, the_end_of_the_vm_ends_windows_and_keeps_what_they_have) {
  Recorder recorder;
  EXPECT_EQ(recorder.open().error().kind, os::ErrorKind::gone);
  recorder.begin(source());
  std::optional<Profile> got;
  std::thread asker([&] {
    auto profile = recorder.record(1h);
    if (profile) got = std::move(*profile);
  });
  while (!recorder.wanted()) std::this_thread::yield();
  sample(recorder, "f");
  recorder.vm_ended();
  asker.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->samples(), 1u);
  EXPECT_TRUE(got->ended_early);
  EXPECT_LT(got->duration, 1h);
  EXPECT_FALSE(recorder.open());
}

TEST(Recorder, the_end_of_the_exporter_ends_all) {
  Recorder recorder;
  recorder.begin(source());
  std::thread asker([&] { EXPECT_TRUE(recorder.record(1h)); });
  while (!recorder.wanted()) std::this_thread::yield();
  recorder.end_all();
  asker.join();
  EXPECT_FALSE(recorder.open());
}

TEST(Recorder, what_does_not_fit_is_counted_as_lost) {
  Recorder recorder;
  recorder.begin(source());
  auto window = recorder.open();
  ASSERT_TRUE(window);
  {
    Recorder::Batch batch(recorder);
    const std::vector<Index> too_deep(StackTable::most_stack_frames + 1);
    batch.add(too_deep, {}, milliseconds(1));
    batch.count_lost(3);
  }
  EXPECT_EQ(window->finish().lost, 4u);
}

}  // namespace
}  // namespace beam_exporter::profile
