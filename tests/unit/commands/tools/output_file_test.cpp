#include "commands/tools/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/temporary_folder.h"

namespace beam_exporter::commands {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  void was_there(const std::string& text) const { std::ofstream(path_) << text; }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  unsigned rights() const {
    struct stat status {};
    return ::stat(path_.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }

  const tests::TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "x.svg").string();
};

TEST_F(OutputFileTest, a_run_that_fails_leaves_no_file_behind) {
  {
    OutputFile file;
    file.path() = path_;
    ASSERT_TRUE(file.open());
    EXPECT_TRUE(std::filesystem::exists(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(OutputFileTest, a_run_that_fails_leaves_the_bytes_of_the_last_one) {
  was_there("of yesterday");
  {
    OutputFile file;
    file.path() = path_;
    ASSERT_TRUE(file.open());
  }
  EXPECT_EQ(text(), "of yesterday");
}

TEST_F(OutputFileTest, the_new_bytes_replace_all_old_ones) {
  was_there("of yesterday, and longer");
  {
    OutputFile file;
    file.path() = path_;
    ASSERT_TRUE(file.open());
    ASSERT_TRUE(file.write("of today"));
  }
  EXPECT_EQ(text(), "of today");
}

TEST_F(OutputFileTest, what_another_run_wrote_meanwhile_stays) {
  {
    OutputFile file;
    file.path() = path_;
    ASSERT_TRUE(file.open());
    was_there("of another run");
  }
  EXPECT_EQ(text(), "of another run");
}

TEST_F(OutputFileTest, a_private_file_is_for_its_owner_also_where_it_was_not) {
  was_there("of yesterday");
  std::filesystem::permissions(path_, std::filesystem::perms(0644));
  {
    OutputFile file;
    file.path() = path_;
    ASSERT_TRUE(file.open_private());
    EXPECT_EQ(rights(), 0600U);
    ASSERT_TRUE(file.write("of today"));
  }
  EXPECT_EQ(text(), "of today");
}

TEST_F(OutputFileTest, an_error_names_the_path) {
  OutputFile file;
  file.path() = (folder_.path() / "none" / "x.svg").string();
  const auto opened = file.open();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().text.find("none/x.svg: No such file"), std::string::npos);
}

}  // namespace
}  // namespace beam_exporter::commands
