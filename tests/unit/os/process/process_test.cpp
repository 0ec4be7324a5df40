#include "os/process/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "harness/child_process.h"
#include "harness/temporary_folder.h"

namespace beam_exporter::os {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using tests::await_word;
using tests::ChildProcess;

ChildProcess waiting_child() {
  return ChildProcess::forked([] {
    await_word();
    return 0;
  });
}

Process opened(pid_t pid) {
  auto process = Process::open(pid);
  if (process) return *process;
  ADD_FAILURE() << process.error().text;
  return *Process::open(getpid());
}

TEST(Process, one_that_has_ended_is_never_the_process_that_has_its_pid_now) {
  const auto ended = Process::ended(::getpid());
  EXPECT_EQ(ended.pid(), ::getpid());
  EXPECT_FALSE(ended.running());
  EXPECT_FALSE(std::filesystem::exists(ended.directory()));
  EXPECT_FALSE(ended.open_executable());
}

TEST(Process, knows_ourselves) {
  const Process self = opened(getpid());
  EXPECT_EQ(self.pid(), getpid());
  EXPECT_TRUE(self.running());
  EXPECT_THAT(self.executable_path(), EndsWith("/unit_os"));
  EXPECT_THAT(self.command_line(), HasSubstr("unit_os"));
  EXPECT_EQ(self.directory(), "/proc/" + std::to_string(getpid()));
  EXPECT_EQ(self.root(), "/proc/" + std::to_string(getpid()) + "/root");
  EXPECT_EQ(self.identity(), opened(getpid()).identity());
  EXPECT_GT(self.identity().start_ticks, 0u);
  struct stat file {};
  ASSERT_EQ(stat(self.executable_path().c_str(), &file), 0);
  EXPECT_EQ(self.identity().executable_inode, file.st_ino);
}

TEST(Process, refuses_what_is_no_process) {
  for (const pid_t pid : {0, -1, 0x7fffffff}) {
    const auto process = Process::open(pid);
    ASSERT_FALSE(process) << pid;
    EXPECT_EQ(process.error().kind, ErrorKind::not_found);
    EXPECT_THAT(process.error().text, HasSubstr(std::to_string(pid)));
  }
}

TEST(Process, runs_until_it_ends_and_a_zombie_has_ended) {
  auto child = waiting_child();
  const Process process = opened(child.pid());
  EXPECT_TRUE(process.running());
  child.kill_without_reaping();
  EXPECT_FALSE(process.running());
  EXPECT_FALSE(Process::open(child.pid()));
  child.join();
  EXPECT_FALSE(process.running());
}

// exec keeps the pid and the start time: only the executable tells.
TEST(Process, has_ended_when_it_became_another_program) {
  auto child = ChildProcess::forked([] {
    await_word();
    execlp("sh", "sh", "-c", "echo became; read word", nullptr);
    return 127;
  });
  const Process process = opened(child.pid());
  EXPECT_TRUE(process.running());
  child.say_word();
  ASSERT_EQ(child.read_line(), "became");
  EXPECT_FALSE(process.running());
  const Process after = opened(child.pid());
  EXPECT_TRUE(after.running());
  EXPECT_EQ(after.identity().start_ticks, process.identity().start_ticks);
  EXPECT_NE(after.identity(), process.identity());
}

TEST(Process, the_name_of_a_process_may_hold_anything) {
  auto child = ChildProcess::forked([] {
    prctl(PR_SET_NAME, ") Z 1 (\n2)");
    if (write(STDOUT_FILENO, "\n", 1) != 1) return 1;
    await_word();
    return 0;
  });
  child.read_line();
  const Process process = opened(child.pid());
  EXPECT_TRUE(process.running());
  EXPECT_EQ(process.identity().executable_inode, opened(getpid()).identity().executable_inode);
}

TEST(Process, opens_the_executable_even_when_its_file_is_gone) {
  const tests::TemporaryFolder folder;
  const auto program = folder.path() / "a program";
  std::filesystem::copy_file("/bin/sh", program);
  {
    auto child = ChildProcess::executed(program, {"-c", "echo ready; read word", "two words"});
    ASSERT_EQ(child.read_line(), "ready");
    const Process process = opened(child.pid());
    EXPECT_EQ(process.command_line(), program.string() + " -c echo ready; read word two words");
    std::filesystem::remove_all(folder.path());
    EXPECT_TRUE(process.running());
    EXPECT_EQ(process.executable_path(), program.string() + " (deleted)");
    const auto file = process.open_executable();
    ASSERT_TRUE(file) << file.error().text;
    std::array<char, 4> magic{};
    ASSERT_EQ(read(file->get(), magic.data(), magic.size()), 4);
    EXPECT_EQ(std::string(magic.data(), magic.size()),
              "\x7f"
              "ELF");
    EXPECT_EQ(fcntl(file->get(), F_GETFD), FD_CLOEXEC);
  }
}

TEST(Process, names_the_executable_it_cannot_open) {
  auto child = waiting_child();
  const Process process = opened(child.pid());
  child.kill_without_reaping();
  const auto file = process.open_executable();
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().text, HasSubstr("/proc/" + std::to_string(child.pid()) + "/exe"));
  EXPECT_EQ(process.executable_path(), "");
  EXPECT_EQ(process.command_line(), "");
}

TEST(VisibleProcesses, are_all_there_in_order) {
  auto child = waiting_child();
  const auto pids = visible_processes();
  EXPECT_TRUE(std::ranges::is_sorted(pids));
  EXPECT_EQ(std::ranges::count(pids, getpid()), 1);
  EXPECT_EQ(std::ranges::count(pids, child.pid()), 1);
  EXPECT_EQ(std::ranges::count(pids, 0), 0);
}

}  // namespace
}  // namespace beam_exporter::os
