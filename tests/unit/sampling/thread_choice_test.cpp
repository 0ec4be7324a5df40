#include "sampling/thread_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "harness/temporary_folder.h"

namespace beam_exporter::sampling {
namespace {

using beam::ThreadKind;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A folder that looks as /proc/PID does, and a source that has room for so many threads.
class ThreadChoiceTest : public testing::Test {
 protected:
  void thread(int tid, const std::string& name, std::chrono::nanoseconds ran = {}) {
    const auto task = folder_ / "task" / std::to_string(tid);
    std::filesystem::create_directories(task);
    std::ofstream(task / "comm") << name << "\n";
    std::ofstream(task / "schedstat") << ran.count() << " 0 1\n";
    std::ofstream(task / "status") << "voluntary_ctxt_switches:\t1\n";
  }
  void end(int tid) { std::filesystem::remove_all(folder_ / "task" / std::to_string(tid)); }

  os::Status look(std::chrono::nanoseconds now = seconds(1)) {
    began_.clear();
    return choice_.refresh(
        folder_, now,
        [&](const VmThread& thread) -> os::Status {
          if (gone_.contains(thread.tid)) return os::Error{os::ErrorKind::gone, "it has ended"};
          if (watched_.size() == room_) return os::Error{os::ErrorKind::system, "no room"};
          watched_.insert(thread.tid);
          began_.push_back(thread.tid);
          return os::Done{};
        },
        [&](pid_t tid) { watched_.erase(tid); });
  }
  std::size_t unwatched(ThreadKind kind) {
    return choice_.unwatched().threads[static_cast<std::size_t>(kind)];
  }

  const tests::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  ThreadChoice choice_;
  std::size_t room_ = 100;
  std::set<pid_t> watched_, gone_;
  std::vector<pid_t> began_;
};

TEST_F(ThreadChoiceTest, all_that_have_a_role_while_there_is_room) {
  thread(1, "beam.smp");
  thread(2, "erts_dios_1");
  thread(3, "erts_sched_1");
  ASSERT_TRUE(look());
  EXPECT_THAT(began_, ElementsAre(3, 2));
  EXPECT_EQ(choice_.unwatched().total(), 0u);
  EXPECT_EQ(choice_.unwatched().reason, "");
  thread(4, "erts_dcpus_1");
  end(2);
  ASSERT_TRUE(look());
  EXPECT_THAT(watched_, ElementsAre(3, 4));
}

TEST_F(ThreadChoiceTest, threads_are_counted_that_have_a_role_of_their_own) {
  thread(1, "beam.smp");
  thread(2, "erts_sched_1");
  thread(3, "erts_sched_1");  // made by a NIF: born with the name of its scheduler
  thread(4, "erts_dios_1");
  EXPECT_EQ(threads_to_sample(folder_), 2u);
}

TEST_F(ThreadChoiceTest, those_that_matter_first) {
  thread(1, "erts_async_1");
  thread(2, "erts_dios_1", seconds(1));
  thread(3, "erts_dios_2", seconds(2));
  thread(4, "erts_aux_1");
  thread(5, "erts_poll_0");
  thread(6, "erts_dcpus_1");
  thread(7, "erts_sched_2");
  thread(8, "erts_sched_1");
  room_ = 6;
  ASSERT_TRUE(look());
  EXPECT_THAT(began_, ElementsAre(8, 7, 6, 4, 5, 3));
  EXPECT_EQ(choice_.unwatched().reason, "no room");
  EXPECT_EQ(unwatched(ThreadKind::dirty_io), 1u);
  EXPECT_EQ(unwatched(ThreadKind::async), 1u);
  EXPECT_EQ(choice_.unwatched().total(), 2u);
}

TEST_F(ThreadChoiceTest, who_becomes_busy_gets_the_place_of_one_that_is_not) {
  thread(1, "erts_sched_1");
  for (int k = 1; k <= 4; ++k) thread(10 + k, "erts_dios_" + std::to_string(k));
  room_ = 3;
  ASSERT_TRUE(look(seconds(1)));
  EXPECT_THAT(watched_, UnorderedElementsAre(1, 11, 12));
  thread(12, "erts_dios_2", seconds(1));
  thread(14, "erts_dios_4", seconds(5));
  ASSERT_TRUE(look(seconds(2)));
  EXPECT_THAT(watched_, UnorderedElementsAre(1, 11, 12)) << "not at every look";
  ASSERT_TRUE(look(seconds(20)));
  EXPECT_THAT(watched_, UnorderedElementsAre(1, 12, 14));
  EXPECT_EQ(choice_.unwatched().total(), 2u);
  // Nobody worked since: nobody changes places.
  ASSERT_TRUE(look(seconds(40)));
  EXPECT_THAT(watched_, UnorderedElementsAre(1, 12, 14));
  EXPECT_THAT(began_, IsEmpty());
}

TEST_F(ThreadChoiceTest, room_that_comes_free_is_used) {
  for (int k = 1; k <= 3; ++k) thread(k, "erts_sched_" + std::to_string(k));
  room_ = 2;
  ASSERT_TRUE(look());
  EXPECT_EQ(choice_.unwatched().total(), 1u);
  room_ = 3;
  ASSERT_TRUE(look());
  EXPECT_EQ(choice_.unwatched().total(), 0u);
  EXPECT_EQ(watched_.size(), 3u);
}

TEST_F(ThreadChoiceTest, a_thread_that_has_ended_meanwhile_is_not_called_unwatched) {
  thread(1, "erts_sched_1");
  thread(2, "erts_sched_2");
  gone_ = {1};
  ASSERT_TRUE(look());
  EXPECT_THAT(watched_, ElementsAre(2));
  EXPECT_EQ(choice_.unwatched().total(), 0u);
}

TEST_F(ThreadChoiceTest, the_first_with_a_name_is_the_scheduler) {
  thread(5, "erts_sched_1");
  ASSERT_TRUE(look());
  thread(3, "erts_sched_1");  // a NIF's; ids wrap around
  thread(9, "erts_sched_1");
  ASSERT_TRUE(look());
  EXPECT_THAT(watched_, ElementsAre(5));
  EXPECT_EQ(choice_.unwatched().total(), 0u);
}

TEST_F(ThreadChoiceTest, nobody_at_all_is_an_error_that_says_why) {
  const auto none = look();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, os::ErrorKind::gone);
  thread(1, "erts_sched_1");
  room_ = 0;
  const auto refused = look();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "no room");
}

}  // namespace
}  // namespace beam_exporter::sampling
