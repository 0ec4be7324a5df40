#include "os/process/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace beam_exporter::os {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() { fs::create_directory(folder_); }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("atomic_" + std::to_string(getpid()));
};

TEST_F(AtomicFileTest, takes_the_place_of_an_older_one_and_leaves_nothing_else) {
  const auto path = folder_ / "file";
  const auto file = AtomicFile::at(path);
  ASSERT_TRUE(file) << file.error().text;
  ASSERT_TRUE(file->write("one\n"));
  std::ifstream reader(path);
  ASSERT_TRUE(file->write("two\n"));
  std::string first;
  reader >> first;
  EXPECT_EQ(first, "one");  // who had opened it keeps the old text
  EXPECT_EQ(text_of(path), "two\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, does_not_write_through_a_link) {
  std::ofstream(folder_ / "precious") << "kept";
  fs::create_symlink(folder_ / "precious", folder_ / "file");
  ASSERT_TRUE(AtomicFile::at(folder_ / "file")->write("new"));
  EXPECT_EQ(text_of(folder_ / "precious"), "kept");
  EXPECT_FALSE(fs::is_symlink(folder_ / "file"));
}

TEST_F(AtomicFileTest, says_which_folder_is_not_there) {
  const auto file = AtomicFile::at(folder_ / "none" / "file");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::not_found);
  EXPECT_THAT(file.error().text, testing::HasSubstr("none/file"));
}

TEST_F(AtomicFileTest, finds_the_tmp_of_a_process) {
  const auto self = Process::open(getpid());
  ASSERT_TRUE(self);
  const std::string name = "atomic_file_test_" + std::to_string(getpid());
  const auto file = AtomicFile::in_tmp_of(*self, name);
  ASSERT_TRUE(file) << file.error().text;
  ASSERT_TRUE(file->write("here"));
  EXPECT_EQ(text_of("/tmp/" + name), "here");
  fs::remove("/tmp/" + name);
}

}  // namespace
}  // namespace beam_exporter::os
