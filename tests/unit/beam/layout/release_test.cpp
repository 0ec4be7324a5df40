#include "beam/layout/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace beam_exporter::beam {
namespace {

namespace fs = std::filesystem;

os::Result<Release> release_of(const std::string& path) {
  const auto image = elf::Image::open(path);
  if (!image) return image.error();
  return read_release(*image);
}

TEST(Release, reads_what_the_binary_says) {
  const auto release = release_of("/proc/self/exe");  // erts_like_types.cpp
  ASSERT_TRUE(release) << release.error().text;
  EXPECT_EQ(release->otp_release, "99");
  EXPECT_EQ(release->erts_version, "99.1.2");
  EXPECT_EQ(release->flavor, "jit");
}

// The folders of an installed OTP carry the same two facts in their names: erts-13.1.5,
// releases/25.
TEST(Release, agrees_with_the_folders_of_an_installed_otp) {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator("/usr/lib/erlang")) {
    const std::string folder = entry.path().filename();
    if (!folder.starts_with("erts-")) continue;
    const auto release = release_of(entry.path() / "bin/beam.smp");
    ASSERT_TRUE(release) << release.error().text;
    EXPECT_EQ("erts-" + release->erts_version, folder);
    EXPECT_TRUE(fs::is_directory(fs::path("/usr/lib/erlang/releases") / release->otp_release));
    ++seen;
  }
  EXPECT_GT(seen, 0) << "Debian's erlang-base is not installed";
}

TEST(Release, says_that_a_file_is_no_beam) {
  const auto release = release_of("/bin/true");
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().kind, os::ErrorKind::not_found);
  EXPECT_EQ(release.error().text, "/bin/true: not an Erlang VM (no symbol etp_otp_release)");
}

TEST(Release, refuses_a_version_that_is_none) {
  const auto release = release_of(ERTS_UNLIKE);
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().kind, os::ErrorKind::malformed);
  EXPECT_THAT(release.error().text, ::testing::Not(::testing::HasSubstr("\n")));
}

}  // namespace
}  // namespace beam_exporter::beam
