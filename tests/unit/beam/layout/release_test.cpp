#include "beam/layout/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "fakes/small_elf.h"

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

std::string build_of(const tests::SmallElf& elf) {
  const auto image = elf::Image::open(elf.file(), "beam in memory");
  if (!image) return image.error().text;
  const auto release = read_release(*image);
  return release ? release->build : release.error().text;
}

TEST(Release, tells_builds_that_count_locks_or_check_them_by_their_constants) {
  constexpr std::uint64_t bits = 16, flags = 20;
  const auto build = [&](bool debug, bool count, bool check) {
    std::string constants(
        "25\0\0\0\0\0\0"
        "13.1.5\0\0"
        "\x40\0\0\0"
        "\0\0\0\0"
        "\0\0\0\0"
        "\0\0\0\0",
        32);
    constants[flags] = debug;
    constants[flags + 4] = count;
    constants[flags + 8] = check;
    tests::SmallElf elf;
    elf.segments = {{{0, 0x1000}, false, true, tests::bytes_of(constants)}};
    elf.symbols = {{"etp_otp_release", 0, 3},        {"etp_erts_version", 8, 7},
                   {"etp_arch_bits", bits, 4},       {"etp_debug_compiled", flags, 4},
                   {"etp_lock_count", flags + 4, 4}, {"etp_lock_check", flags + 8, 4}};
    return build_of(elf);
  };
  EXPECT_EQ(build(false, false, false), "opt");
  EXPECT_EQ(build(false, true, false), "lcnt");
  EXPECT_EQ(build(false, false, true), "debug");
  EXPECT_EQ(build(true, false, true), "debug");
}

TEST(Release, tells_builds_by_the_text_of_their_version) {
  const auto build = [&](const std::string& words) {
    tests::SmallElf elf;
    elf.segments = {{{0, 0x1000}, false, true, {}},
                    {{0x1000, 0x2000},
                     true,
                     false,
                     tests::bytes_of("Erlang/OTP 29%s [erts-17.1] [64-bit] [smp:%beu:%beu]" +
                                     words + " [jit:ns%s]\n" + '\0')}};
    elf.symbols = {{"enif_make_atom", 0x10, 1}};
    return build_of(elf);
  };
  EXPECT_EQ(build(""), "opt");
  EXPECT_EQ(build(" [lock-counting]"), "lcnt");
  EXPECT_EQ(build(" [debug-compiled] [lock-checking]"), "debug");
}

TEST(Release, tells_an_interpreter_that_was_not_built_beside_the_jit) {
  const auto build = [](const std::string& config) {
    tests::SmallElf elf;
    elf.segments = {
        {{0, 0x1000}, false, true, {}},
        {{0x1000, 0x2000},
         true,
         false,
         tests::bytes_of(std::string("Erlang/OTP 29%s [erts-17.1] [64-bit] [smp:%beu:%beu]\n") +
                         '\0')},
        {{0x2000, 0x3000}, false, false, tests::bytes_of(config)}};
    elf.symbols = {{"enif_make_atom", 0x10, 1}};
    elf.sections = {{".rodata", {0x2000, 0x2000 + config.size()}}};
    return build_of(elf);
  };
  EXPECT_EQ(build("/* #undef ERLANG_FRAME_POINTERS */\n"), "disable-jit");
  EXPECT_EQ(build("#define ERLANG_FRAME_POINTERS /**/\n"), "opt");
  EXPECT_EQ(build("#define HAVE_CONFIG_H 1\n"), "opt") << "24 and earlier";
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
