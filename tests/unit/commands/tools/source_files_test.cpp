#include "commands/tools/source_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/temporary_folder.h"

namespace beam_exporter::commands {
namespace {

class SourceFilesTest : public testing::Test {
 protected:
  SourceFilesTest() {
    for (const auto* file : {"a/src/shop.erl", "b/src/shop.erl", "b/src/cart.erl", "c/shop.hrl"}) {
      std::filesystem::create_directories((root_ / file).parent_path());
      std::ofstream(root_ / file) << "\n";
    }
  }
  std::string find(const std::string& name) {
    const auto files = SourceFiles::beneath(root_.string());
    if (!files) return files.error().text;
    const auto path = files->find(name);
    return path ? std::filesystem::relative(*path, root_).string() : "none";
  }

  const tests::TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_.path();
};

TEST_F(SourceFilesTest, the_name_alone_is_enough_where_there_is_one) {
  EXPECT_EQ(find("cart.erl"), "b/src/cart.erl");
  EXPECT_EQ(find("/build/elsewhere/cart.erl"), "b/src/cart.erl");
  EXPECT_EQ(find("../include/shop.hrl"), "c/shop.hrl");
  EXPECT_EQ(find("none.erl"), "none");
}

TEST_F(SourceFilesTest, of_several_that_with_most_equal_parts_is_taken) {
  EXPECT_EQ(find("/build/b/src/shop.erl"), "b/src/shop.erl");
  EXPECT_EQ(find("a/src/shop.erl"), "a/src/shop.erl");
  EXPECT_EQ(find("src/shop.erl"), "none") << "two fit equally well";
}

TEST_F(SourceFilesTest, what_is_no_folder_is_an_error) {
  const auto files = SourceFiles::beneath("/nowhere");
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().text.find("/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace beam_exporter::commands
