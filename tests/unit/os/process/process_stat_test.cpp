#include "os/process/process_stat.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "harness/temporary_folder.h"

namespace beam_exporter::os {
namespace {

namespace fs = std::filesystem;

class FakeProc : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "42" / "fd");
    put("stat", "cpu 1 2 3\nintr 9\nbtime 1700000000\nprocesses 5\n");
    put("42/stat", stat_line("beam.smp"));
    put("42/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max open files            1024                 1048576              files     \n"
        "Max address space         unlimited            unlimited            bytes     \n");
    for (const char* fd : {"0", "1", "2", "17"}) put(std::string("42/fd/") + fd, "");
  }
  void put(const std::string& path, const std::string& text) {
    std::ofstream(root_ / path) << text;
  }
  static std::string stat_line(const std::string& name) {
    const auto hz = sysconf(_SC_CLK_TCK);
    return "42 (" + name + ") S 1 42 42 0 -1 4194304 10 20 30 40 " + std::to_string(3 * hz) + " " +
           std::to_string(hz / 2) + " 7 8 20 0 23 0 " + std::to_string(100 * hz) +
           " 5000000000 1000 18446744073709551615 1 2 3\n";
  }
  const tests::TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(FakeProc, reads_every_field) {
  const auto stat = read_process_stat(root_ / "42");
  ASSERT_TRUE(stat) << stat.error().text;
  EXPECT_DOUBLE_EQ(stat->user_seconds, 3);
  EXPECT_DOUBLE_EQ(stat->system_seconds, 0.5);
  EXPECT_DOUBLE_EQ(stat->start_time_seconds, 1700000100);
  EXPECT_EQ(stat->start_ticks, static_cast<std::uint64_t>(100 * sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(stat->threads, 23u);
  EXPECT_EQ(stat->virtual_bytes, 5000000000u);
  EXPECT_EQ(stat->resident_bytes, 1000u * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(stat->open_fds, 4u);
  EXPECT_EQ(stat->max_fds, 1024u);
}

TEST_F(FakeProc, an_unlimited_limit_is_absent) {
  const auto stat = read_process_stat(root_ / "42");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->max_virtual_bytes, std::nullopt);
}

TEST_F(FakeProc, a_name_may_hold_spaces_and_parentheses) {
  for (const char* name : {"a b", "x) S 1 (y", "))((", ""}) {
    put("42/stat", stat_line(name));
    const auto stat = read_process_stat(root_ / "42");
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->threads, 23u) << name;
  }
}

TEST_F(FakeProc, what_may_not_be_read_is_absent_and_the_rest_is_there) {
  fs::remove_all(root_ / "42" / "fd");
  fs::remove(root_ / "42" / "limits");
  const auto stat = read_process_stat(root_ / "42");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->open_fds, std::nullopt);
  EXPECT_EQ(stat->max_fds, std::nullopt);
  EXPECT_EQ(stat->threads, 23u);
}

TEST_F(FakeProc, names_a_process_that_is_not_there) {
  const auto stat = read_process_stat(root_ / "43");
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().kind, ErrorKind::not_found);
  EXPECT_THAT(stat.error().text, ::testing::HasSubstr("43"));
}

TEST_F(FakeProc, refuses_a_stat_file_that_is_cut_short) {
  for (const char* text :
       {"42 (beam.smp) S 1 42", "42 beam.smp", "42 (x) S a b c d e f g h i j k l m"}) {
    put("42/stat", text);
    const auto stat = read_process_stat(root_ / "42");
    ASSERT_FALSE(stat) << text;
    EXPECT_EQ(stat.error().kind, ErrorKind::malformed);
  }
}

TEST_F(FakeProc, refuses_a_machine_without_boot_time) {
  put("stat", "cpu 1 2 3\n");
  const auto stat = read_process_stat(root_ / "42");
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().kind, ErrorKind::malformed);
}

TEST(ProcessStat, agrees_with_what_the_kernel_tells_us_about_ourselves) {
  std::thread([] {}).join();  // beside the first thread a sanitizer starts one of its own
  rusage used{};
  // Enough user time to be told apart from nothing at the kernel's tick.
  do {
    getrusage(RUSAGE_SELF, &used);
  } while (used.ru_utime.tv_sec == 0 && used.ru_utime.tv_usec < 50000);

  const auto stat = read_process_stat("/proc/self");
  ASSERT_TRUE(stat) << stat.error().text;
  getrusage(RUSAGE_SELF, &used);
  const double seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  EXPECT_NEAR(stat->user_seconds + stat->system_seconds, seconds, 0.1);

  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur != RLIM_INFINITY) {
    EXPECT_EQ(stat->max_fds, files.rlim_cur);
  }

  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LT(stat->start_time_seconds, now + 1);
  EXPECT_GT(stat->start_time_seconds, now - 24 * 3600);
  EXPECT_GT(stat->resident_bytes, 0u);
  EXPECT_GE(stat->virtual_bytes, stat->resident_bytes);

  std::thread other([&] {
    const auto with_two = read_process_stat("/proc/" + std::to_string(getpid()));
    ASSERT_TRUE(with_two);
    EXPECT_EQ(with_two->threads, stat->threads + 1);
    EXPECT_EQ(with_two->start_ticks, stat->start_ticks);
  });
  other.join();
}

TEST(ProcessStat, counts_a_descriptor_we_open) {
  const auto before = read_process_stat("/proc/self");
  const int fd = open("/dev/null", O_RDONLY);
  const auto after = read_process_stat("/proc/self");
  close(fd);
  ASSERT_TRUE(before && after);
  ASSERT_TRUE(before->open_fds && after->open_fds);
  EXPECT_EQ(*after->open_fds, *before->open_fds + 1);
}

}  // namespace
}  // namespace beam_exporter::os
