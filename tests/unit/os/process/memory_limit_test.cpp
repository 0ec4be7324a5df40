#include "os/process/memory_limit.h"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/temporary_folder.h"

namespace beam_exporter::os {
namespace {

namespace fs = std::filesystem;

// A /proc/PID with control groups that the process sees below its own root.
class MemoryLimitTest : public ::testing::Test {
 protected:
  void put(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void unified(const std::string& group, const std::string& mounted = "/") {
    put("42/cgroup", "0::" + group + "\n");
    put("42/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n30 27 0:26 " + mounted +
                            " /sys/fs/cgroup ro,nosuid shared:4 - cgroup2 cgroup rw\n");
  }
  void level(const std::string& group, const std::string& most, std::uint64_t used,
             std::uint64_t inactive) {
    const auto at = "42/root/sys/fs/cgroup" + group;
    put(at + "/memory.max", most + "\n");
    put(at + "/memory.current", std::to_string(used) + "\n");
    put(at + "/memory.stat", "anon 7\ninactive_file " + std::to_string(inactive) + "\nfile 3\n");
  }
  auto read() const { return read_memory_limit(root_ / "42", root_ / "self"); }

  const tests::TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(MemoryLimitTest, the_limit_and_what_counts_of_it) {
  unified("/shop");
  level("/shop", "1000", 700, 100);
  const auto limit = read();
  ASSERT_TRUE(limit && *limit);
  EXPECT_EQ((*limit)->version, 2);
  EXPECT_EQ((*limit)->group, "/shop");
  EXPECT_EQ((*limit)->held(), 600U);
  EXPECT_EQ((*limit)->left(), 400U);
}

TEST_F(MemoryLimitTest, a_group_above_may_be_nearer_to_its_limit) {
  unified("/pods/shop");
  level("/pods/shop", "1000", 100, 0);
  level("/pods", "2000", 1900, 0);
  ASSERT_TRUE(read() && *read());
  EXPECT_EQ((*read())->group, "/pods");
  level("/pods/shop", "max", 100, 0);
  level("/pods", "max", 1900, 0);
  ASSERT_TRUE(read());
  EXPECT_FALSE(*read()) << "no limit at all";
}

TEST_F(MemoryLimitTest, a_container_sees_its_own_group_as_the_root) {
  unified("/../shop", "/../shop");
  level("", "500", 600, 0);
  ASSERT_TRUE(read() && *read());
  EXPECT_EQ((*read())->left(), 0U) << "lowered below what is in use";
}

TEST_F(MemoryLimitTest, version_1_names_its_files_differently) {
  put("42/cgroup", "8:pids:/\n4:cpu,memory:/shop\n0::/\n");
  put("42/mountinfo",
      "30 27 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
      "31 27 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,cpu,memory\n");
  const std::string at = "42/root/sys/fs/cgroup/memory/shop/memory.";
  put(at + "limit_in_bytes", "4096\n");
  put(at + "usage_in_bytes", "1024\n");
  put(at + "stat", "inactive_file 1\ntotal_inactive_file 24\n");
  ASSERT_TRUE(read() && *read());
  EXPECT_EQ((*read())->version, 1);
  EXPECT_EQ((*read())->held(), 1000U);
  put(at + "limit_in_bytes", "9223372036854771712\n");
  ASSERT_TRUE(read());
  EXPECT_FALSE(*read());
}

TEST_F(MemoryLimitTest, what_cannot_be_seen_is_an_error_and_not_unlimited) {
  EXPECT_FALSE(read());
  unified("/elsewhere");
  ASSERT_FALSE(read());
  EXPECT_NE(read().error().text.find("/elsewhere"), std::string::npos);
  unified("/shop");
  level("/shop", "many", 1, 1);
  ASSERT_FALSE(read());
  EXPECT_EQ(read().error().kind, ErrorKind::malformed);
}

}  // namespace
}  // namespace beam_exporter::os
