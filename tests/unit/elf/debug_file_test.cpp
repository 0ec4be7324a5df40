#include "elf/debug_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "elf/debug_types.h"
#include "unit/elf/stripped_root.h"

namespace beam_exporter::elf {
namespace {

class DebugFile : public StrippedRoot {
 protected:
  os::Result<Image> find() {
    auto binary = Image::open((root_ / "opt/app/vm").string());
    if (!binary) return binary.error();
    EXPECT_FALSE(binary->has_debug_info());
    return find_debug_file(*binary, root_, "/opt/app/vm");
  }

  // The file that was found holds the types of this binary.
  void expect_found() {
    const auto debug = find();
    ASSERT_TRUE(debug) << debug.error().text;
    const std::vector<TypeQuery> queries{{"KnownOuter", {"first"}}};
    const auto types = read_types(*debug, queries);
    ASSERT_TRUE(types) << types.error().text;
    EXPECT_TRUE((*types)[0]);
  }
};

TEST_F(DebugFile, is_found_by_build_id) {
  strip(keep_build_id);
  const std::string id = Image::open((root_ / "opt/app/vm").string())->build_id();
  put_debug_file("usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  expect_found();
}

TEST_F(DebugFile, is_found_next_to_the_binary) {
  strip(keep_build_id);
  put_debug_file("opt/app/vm.debug");
  expect_found();
}

TEST_F(DebugFile, is_found_in_the_hidden_folder_by_crc) {
  strip(drop_build_id);
  put_debug_file("opt/app/.debug/vm.debug");
  expect_found();
}

TEST_F(DebugFile, is_found_through_an_absolute_link_inside_the_root) {
  strip(keep_build_id);
  put_debug_file("mnt/debug/opt/app/vm.debug");
  fs::create_directories(root_ / "usr/lib");
  fs::create_directory_symlink("/mnt/debug", root_ / "usr/lib/debug");
  expect_found();
}

TEST_F(DebugFile, of_another_build_is_refused) {
  strip(drop_build_id);
  put_debug_file("opt/app/vm.debug");
  std::ofstream(root_ / "opt/app/vm.debug", std::ios::app) << "changed";
  const auto debug = find();
  ASSERT_FALSE(debug);
  EXPECT_EQ(debug.error().kind, os::ErrorKind::not_found);
  EXPECT_THAT(debug.error().text, ::testing::HasSubstr("/opt/app/vm.debug (of another build)"));
}

TEST_F(DebugFile, that_is_nowhere_names_every_place) {
  strip(keep_build_id);
  std::ofstream(root_ / "opt/app/vm.debug") << "no ELF";
  const auto debug = find();
  ASSERT_FALSE(debug);
  EXPECT_THAT(debug.error().text,
              ::testing::AllOf(::testing::HasSubstr("/usr/lib/debug/.build-id/"),
                               ::testing::HasSubstr("/opt/app/vm.debug (unreadable)"),
                               ::testing::HasSubstr("/opt/app/.debug/vm.debug"),
                               ::testing::HasSubstr("/usr/lib/debug/opt/app/vm.debug")));
}

TEST_F(DebugFile, needs_a_root_that_exists) {
  strip(keep_build_id);
  const auto binary = Image::open((root_ / "opt/app/vm").string());
  ASSERT_TRUE(binary);
  EXPECT_FALSE(find_debug_file(*binary, root_ / "gone", "/opt/app/vm"));
}

}  // namespace
}  // namespace beam_exporter::elf
