#include "elf/debuginfod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "elf/image.h"
#include "unit/elf/stripped_root.h"

namespace beam_exporter::elf {
namespace {

// libdebuginfod reads folders too, which are laid out as servers answer; tests/integration has a
// server.
class DebuginfodFolder : public StrippedRoot {
 protected:
  void SetUp() override {
    StrippedRoot::SetUp();
    ASSERT_TRUE(debuginfod::usable()) << debuginfod::usable().error().text;
    ::setenv("DEBUGINFOD_CACHE_PATH", (root_ / "cache").c_str(), 1);
    const std::string folder = "file://" + root_.string();
    debuginfod::use_servers(folder + "/one " + folder + "/two");
    build_id_ = Image::open((root_ / "full").string())->build_id();
  }
  void TearDown() override {
    ::unsetenv("DEBUGINFOD_CACHE_PATH");
    ::unsetenv("DEBUGINFOD_URLS");
    StrippedRoot::TearDown();
  }

  std::string build_id_;
};

TEST_F(DebuginfodFolder, a_file_that_one_of_the_servers_has_is_in_the_cache_then) {
  put_debug_file("two/buildid/" + build_id_ + "/debuginfo");
  const auto file = debuginfod::fetch(build_id_, [] { return true; });
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_THAT(*file, ::testing::StartsWith((root_ / "cache").string()));
  const auto debug = Image::open(*file);
  ASSERT_TRUE(debug) << debug.error().text;
  EXPECT_EQ(debug->build_id(), build_id_);
  EXPECT_TRUE(debug->has_symbol_table());
}

TEST_F(DebuginfodFolder, what_no_server_has_is_an_error) {
  const auto file = debuginfod::fetch(build_id_, [] { return true; });
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().text, ::testing::HasSubstr("debuginfod"));
}

}  // namespace
}  // namespace beam_exporter::elf
