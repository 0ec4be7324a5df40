#include "elf/debug_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "elf/debug_types.h"

namespace beam_exporter::elf {
namespace {

namespace fs = std::filesystem;

void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

// A root folder as a target's: our own binary, stripped, as opt/app/vm, its debug file to be put
// somewhere.
class DebugFile : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("root-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "opt/app");
    fs::copy_file("/proc/self/exe", root_ / "full");
    run("cd " + root_.string() +
        " && objcopy --only-keep-debug full vm.debug && cp full opt/app/vm");
  }
  void TearDown() override { fs::remove_all(root_); }

  void strip(const std::string& options) {
    run("cd " + root_.string() + " && objcopy " + options +
        " --strip-all --add-gnu-debuglink=vm.debug opt/app/vm");
  }

  void put_debug_file(const std::string& where) {
    fs::create_directories((root_ / where).parent_path());
    fs::copy_file(root_ / "vm.debug", root_ / where);
  }

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

  fs::path root_;
};

const std::string keep_build_id;
const std::string drop_build_id = "--remove-section=.note.gnu.build-id";

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

TEST_F(DebugFile, gives_the_stripped_binary_its_symbols) {
  const auto full = Image::open((root_ / "full").string());
  strip(keep_build_id);
  auto stripped = Image::open((root_ / "opt/app/vm").string());
  ASSERT_TRUE(full && stripped);
  EXPECT_TRUE(full->has_symbol_table());
  EXPECT_FALSE(stripped->has_symbol_table());
  EXPECT_LT(stripped->symbol_count(), full->symbol_count() / 2);
  put_debug_file("opt/app/vm.debug");
  const auto debug = find();
  ASSERT_TRUE(debug) << debug.error().text;
  stripped->add_symbols(*debug);
  EXPECT_TRUE(stripped->has_symbol_table());
  EXPECT_EQ(stripped->symbol_count(), full->symbol_count());
  EXPECT_EQ(stripped->functions().size(), full->functions().size());
  const auto main = stripped->symbol("main");
  ASSERT_TRUE(main);
  EXPECT_EQ(main->value, full->symbol("main")->value);
  EXPECT_TRUE(main->in_code);
}

TEST_F(DebugFile, needs_a_root_that_exists) {
  strip(keep_build_id);
  const auto binary = Image::open((root_ / "opt/app/vm").string());
  ASSERT_TRUE(binary);
  EXPECT_FALSE(find_debug_file(*binary, root_ / "gone", "/opt/app/vm"));
}

}  // namespace
}  // namespace beam_exporter::elf
