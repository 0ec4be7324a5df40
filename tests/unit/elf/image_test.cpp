#include "elf/image.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "unit/elf/known_types.h"

namespace beam_exporter::elf {
namespace {

Image self() {
  auto image = Image::open("/proc/self/exe");
  if (!image) {
    ADD_FAILURE() << image.error().text;
    std::abort();
  }
  return std::move(*image);
}

// The first object is the executable; dlpi_addr is what the loader added to its addresses.
std::uint64_t real_load_bias() {
  std::uint64_t bias = 0;
  const auto first = [](dl_phdr_info* info, std::size_t, void* out) {
    *static_cast<std::uint64_t*>(out) = info->dlpi_addr;
    return 1;
  };
  ::dl_iterate_phdr(first, &bias);
  return bias;
}

TEST(Image, knows_symbols_and_their_kind) {
  const Image image = self();
  const auto data = image.symbol("known_constant");
  ASSERT_TRUE(data);
  EXPECT_EQ(data->size, sizeof known_constant);
  EXPECT_FALSE(data->is_function);
  EXPECT_FALSE(data->in_code);
  const auto code = image.symbol("main");
  ASSERT_TRUE(code);
  EXPECT_TRUE(code->is_function);
  EXPECT_TRUE(code->in_code);
  EXPECT_FALSE(image.symbol("known_constan"));
  EXPECT_FALSE(image.symbol(""));
  EXPECT_GT(image.symbols().size(), 2U);
}

TEST(Image, its_load_bias_leads_from_a_symbol_to_memory) {
  const Image image = self();
  const std::uint64_t bias = real_load_bias();
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const os::Address lowest = (image.segments()[0].addresses.begin & ~(page - 1)) + bias;
  ASSERT_EQ(image.load_bias(lowest), bias);
  EXPECT_EQ(image.symbol("known_constant")->value + bias,
            reinterpret_cast<std::uintptr_t>(&known_constant));
}

TEST(Image, reads_initial_content) {
  const Image image = self();
  EXPECT_EQ(image.constant<std::uint32_t>("known_constant"), 0xfeedbeefU);
  EXPECT_EQ(image.text_constant("known_text"), "13.1.5");
  EXPECT_EQ(image.constant<std::uint64_t>("known_zeros"), 0U) << ".bss is not in the file";
  known_zeros[0] = 7;
  EXPECT_EQ(image.constant<std::uint64_t>("known_zeros"), 0U) << "the file, not the memory";
}

TEST(Image, refuses_content_that_is_not_there) {
  const Image image = self();
  std::uint64_t wide = 0;
  const auto too_wide =
      image.read_constant("known_constant", std::as_writable_bytes(std::span(&wide, 1)));
  ASSERT_FALSE(too_wide);
  EXPECT_EQ(too_wide.error().kind, os::ErrorKind::malformed);
  EXPECT_FALSE(image.constant<int>("no_such_symbol"));
  EXPECT_FALSE(image.text_constant("no_such_symbol"));
  EXPECT_FALSE(image.text_constant("known_unterminated"));
  const os::Address behind = image.segments().back().addresses.end;
  EXPECT_FALSE(image.read(behind, std::as_writable_bytes(std::span(&wide, 1))));
  EXPECT_FALSE(image.read(behind - 4, std::as_writable_bytes(std::span(&wide, 1))));
  EXPECT_FALSE(image.read(~os::Address{0}, std::as_writable_bytes(std::span(&wide, 1))));
}

TEST(Image, knows_sections_and_segments) {
  const Image image = self();
  const auto bss = image.section(".bss");
  const auto zeros = image.symbol("known_zeros");
  ASSERT_TRUE(bss);
  ASSERT_TRUE(zeros);
  EXPECT_TRUE(bss->contains(zeros->value, zeros->size));
  const auto writable = [&](const Segment& each) {
    return each.writable && each.addresses.contains(bss->begin, bss->size());
  };
  EXPECT_THAT(image.segments(), ::testing::Contains(::testing::Truly(writable)));
  EXPECT_FALSE(image.section(".no_such_section"));
  EXPECT_TRUE(image.has_debug_info());
  EXPECT_EQ(image.build_id().size(), 40U);
  EXPECT_THAT(image.build_id(), ::testing::MatchesRegex("[0-9a-f]*"));
  EXPECT_FALSE(image.arch().empty());
}

TEST(Image, reads_a_deleted_file) {
  const auto path =
      std::filesystem::path(::testing::TempDir()) / ("deleted-" + std::to_string(::getpid()));
  std::filesystem::copy_file("/proc/self/exe", path);
  os::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(file);
  std::filesystem::remove(path);
  const auto image = Image::open(std::move(file), "deleted");
  ASSERT_TRUE(image) << image.error().text;
  EXPECT_EQ(image->constant<std::uint32_t>("known_constant"), 0xfeedbeefU);
}

TEST(Image, stays_whole_when_moved) {
  Image first = self();
  const Image second = std::move(first);
  EXPECT_EQ(second.text_constant("known_text"), "13.1.5");
}

TEST(Image, a_stripped_binary_has_its_dynamic_symbols_only) {
  const auto image = Image::open("/bin/true");
  ASSERT_TRUE(image) << image.error().text;
  EXPECT_FALSE(image->has_debug_info());
  EXPECT_FALSE(image->symbol("main"));
}

TEST(Image, says_what_is_wrong_with_a_path) {
  const auto absent = Image::open("/no/such/file");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, os::ErrorKind::not_found);
  EXPECT_EQ(absent.error().text, "/no/such/file: No such file or directory");
  const auto text = Image::open("/proc/self/cmdline");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, os::ErrorKind::malformed);
  EXPECT_EQ(Image::open("/dev/null").error().text, "/dev/null: not a regular file");
  const auto fifo =
      std::filesystem::path(::testing::TempDir()) / ("fifo-" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(Image::open(fifo.string())) << "and does not wait for a writer";
  std::filesystem::remove(fifo);
}

}  // namespace
}  // namespace beam_exporter::elf
