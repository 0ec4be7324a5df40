#include "yaml/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/temporary_folder.h"

namespace beam_exporter::yaml {
namespace {

TEST(Folder, has_its_yaml_files_by_name) {
  const tests::TemporaryFolder folder;
  for (const char* name : {"b.yaml", "a.yaml", "README.md", "c.yaml.old"})
    std::ofstream(folder.path() / name) << "\n";
  const auto files = files_in(folder.path(), "a folder");
  ASSERT_TRUE(files) << files.error().text;
  EXPECT_THAT(*files, ::testing::ElementsAre(folder.path() / "a.yaml", folder.path() / "b.yaml"));
}

TEST(Folder, that_nobody_named_has_none) {
  const auto files = files_in("", "a folder");
  ASSERT_TRUE(files) << files.error().text;
  EXPECT_TRUE(files->empty());
}

TEST(Folder, that_cannot_be_read_is_an_error_of_the_user) {
  const auto files = files_in("/no such folder", "layouts folder");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().kind, os::ErrorKind::invalid_argument);
  EXPECT_EQ(files.error().text, "layouts folder /no such folder: No such file or directory");
}

}  // namespace
}  // namespace beam_exporter::yaml
