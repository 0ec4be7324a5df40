#include "beam/layout/layout_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "beam/layout/layout_file.h"
#include "fakes/fake_vm.h"

namespace beam_exporter::beam {
namespace {

namespace fs = std::filesystem;

class LayoutLibraryFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("layouts-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The built-in OTP 25 layout with another version and a Process size to know it by.
  void put(const std::string& name, const std::string& erts_version, std::uint32_t process_size) {
    auto layout = tests::shipped_layout("25");
    layout.erts_version = erts_version;
    layout.process.size = process_size;
    std::ofstream(folder_ / name) << write_layout(layout);
  }

  Layout find(const std::string& erts_version) {
    const auto library = LayoutLibrary::load(folder_);
    EXPECT_TRUE(library) << library.error().text;
    const auto layout = library->find({"25", erts_version, "jit", "x86_64"});
    EXPECT_TRUE(layout) << layout.error().text;
    return layout ? *layout : Layout{};
  }

  fs::path folder_;
};

TEST(LayoutLibrary, has_the_built_in_releases) {
  const auto library = LayoutLibrary::load();
  ASSERT_TRUE(library) << library.error().text;
  EXPECT_THAT(library->releases(), ::testing::IsSupersetOf({"25 jit x86_64", "27 jit x86_64"}));
  const auto layout = library->find({"27", "15.2.7", "jit", "x86_64"});
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->otp_release, "27");
  EXPECT_EQ(layout->origin, "otp-27-jit");
}

TEST(LayoutLibrary, accepts_another_patch_of_the_release) {
  const auto library = LayoutLibrary::load();
  ASSERT_TRUE(library) << library.error().text;
  const auto layout = library->find({"25", "13.2.2.9", "jit", "x86_64"});
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->otp_release, "25");
}

TEST(LayoutLibrary, refuses_an_unknown_release_and_says_what_to_do) {
  const auto library = LayoutLibrary::load();
  ASSERT_TRUE(library) << library.error().text;
  for (const Release& release :
       {Release{"23", "11.0", "jit", "x86_64"}, Release{"22", "10.7", "emu", "x86_64"},
        Release{"25", "13.1.5", "jit", "aarch64"},
        Release{"25", "13.1.5", "jit", "x86_64", "lcnt"}}) {
    const auto layout = library->find(release);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().kind, os::ErrorKind::unsupported);
    EXPECT_THAT(
        layout.error().text,
        ::testing::AllOf(::testing::HasSubstr("OTP " + release.otp_release + " " + release.flavor),
                         ::testing::HasSubstr("25 jit x86_64"),
                         ::testing::HasSubstr("`beam_exporter layout`"),
                         ::testing::HasSubstr("--layouts.directory"),
                         ::testing::Not(::testing::HasSubstr("\n"))));
  }
}

std::vector<std::string> near(const Release& release) {
  const auto library = LayoutLibrary::load();
  std::vector<std::string> names;
  for (const auto& layout : library->neighbours(release)) names.push_back(layout.origin);
  return names;
}

TEST(LayoutLibrary, neighbours_are_at_most_two_releases_away_the_nearest_first) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(near({"30", "18.0", "jit", "x86_64"}), ElementsAre("otp-29-jit", "otp-28-jit"));
  EXPECT_THAT(near({"30-rc1", "18.0", "jit", "x86_64"}), ElementsAre("otp-29-jit", "otp-28-jit"));
  EXPECT_THAT(near({"23", "11.0", "jit", "x86_64"}),
              ElementsAre("otp-24-jit-12.2.1", "otp-25-jit-13.0.4"));
  EXPECT_THAT(near({"23", "13.1.5", "jit", "x86_64"}), ElementsAre("otp-24-jit", "otp-25-jit"))
      << "of each release the nearest";
  EXPECT_THAT(near({"22", "10.7", "emu", "x86_64"}), ElementsAre("otp-23-emu", "otp-24-emu"));
  EXPECT_THAT(near({"23", "11.0", "emu", "x86_64", "lcnt"}), IsEmpty());
  EXPECT_THAT(near({"24", "12.0", "jit", "aarch64"}), IsEmpty());
  EXPECT_THAT(near({"32", "20.0", "jit", "x86_64"}), IsEmpty());
  EXPECT_THAT(near({"maint", "20.0", "jit", "x86_64"}), IsEmpty());
}

TEST(LayoutLibrary, a_struct_may_change_within_a_release) {
  const auto library = LayoutLibrary::load();
  const auto named = [&](const char* otp_release, const char* erts_version) {
    const auto layout = library->find({otp_release, erts_version, "jit", "x86_64"});
    return layout ? layout->origin : layout.error().text;
  };
  EXPECT_EQ(named("24", "12.2.1"), "otp-24-jit-12.2.1");
  EXPECT_EQ(named("24", "12.3.2.1"), "otp-24-jit-12.2.1");
  EXPECT_EQ(named("24", "12.3.2.2"), "otp-24-jit") << "erl_process.h: rand_state";
  EXPECT_EQ(named("24", "12.3.2.17"), "otp-24-jit");
  EXPECT_EQ(named("25", "13.0"), "otp-25-jit-13.0.4");
  EXPECT_EQ(named("25", "13.1"), "otp-25-jit-13.1") << "erl_process.h: rand_state";
  EXPECT_EQ(named("25", "13.1.1"), "otp-25-jit-13.1");
  EXPECT_EQ(named("25", "13.1.2"), "otp-25-jit-13.1.2") << "erl_alloc_util.h: acful";
  EXPECT_EQ(named("25", "13.1.3"), "otp-25-jit") << "erl_process.h: list_len";
  EXPECT_EQ(named("25", "13.2.2.9"), "otp-25-jit");
}

TEST_F(LayoutLibraryFolder, replaces_the_built_in_file_of_the_same_name) {
  put("otp-25-jit.yaml", "13.9", 800);
  EXPECT_EQ(find("13.1.5").process.size, 800U);
  EXPECT_EQ(find("13.1.5").origin, "otp-25-jit");
}

TEST_F(LayoutLibraryFolder, prefers_the_same_erts_version) {
  put("otp-25-jit-13.2.yaml", "13.2", 800);
  put("otp-25-jit-13.3.yaml", "13.3", 808);
  EXPECT_EQ(find("13.3").process.size, 808U);
  EXPECT_EQ(find("13.2").process.size, 800U);
  EXPECT_EQ(find("13.1.3").process.size, 776U) << "the built-in one is of that version";
  EXPECT_EQ(find("13.4").process.size, 808U) << "none is: the folder's newest before it";
  EXPECT_EQ(find("13.2.2.9").process.size, 800U);
  EXPECT_EQ(find("13.10").process.size, 808U);
  EXPECT_EQ(find("13.1.9").process.size, 800U) << "all are newer: the folder's oldest";
}

TEST_F(LayoutLibraryFolder, ignores_files_of_other_kinds) {
  std::ofstream(folder_ / "README.md") << "not a layout";
  EXPECT_EQ(find("13.1.5").process.size, 776U);
}

TEST_F(LayoutLibraryFolder, refuses_a_bad_file_by_name) {
  std::ofstream(folder_ / "otp-25-jit.yaml") << "otp_release: \"25\"\n";
  const auto library = LayoutLibrary::load(folder_);
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().text, ::testing::HasSubstr((folder_ / "otp-25-jit.yaml").string()));
}

TEST_F(LayoutLibraryFolder, refuses_a_folder_that_is_not_there) {
  const auto library = LayoutLibrary::load(folder_ / "gone");
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().text, ::testing::HasSubstr("gone"));
}

}  // namespace
}  // namespace beam_exporter::beam
