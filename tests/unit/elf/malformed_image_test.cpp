#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "elf/debug_types.h"
#include "elf/image.h"

// Files that lie: cut short, or with bytes changed. No answer is right here; the process must
// survive and come to an end. Seeds are fixed, so a failure can be repeated.
namespace beam_exporter::elf {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

os::UniqueFd file_with(std::string_view content) {
  os::UniqueFd file(::memfd_create("image", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  return file;
}

os::UniqueFd again(const os::UniqueFd& file) { return os::UniqueFd(::dup(file.get())); }

// Asks an image everything; whatever it answers, it does so without harm.
void question(const Image& image) {
  image.symbol("main");
  image.section(".bss");
  image.load_bias(0x5555'5555'4000);
  image.text_constant("known_text");
  image.constant<std::uint64_t>("known_zeros");
  for (const auto& segment : image.segments()) {
    std::byte bytes[64];
    (void)image.read(segment.addresses.begin, bytes);
    (void)image.read(segment.addresses.end - 32, bytes);
  }
}

TEST(MalformedImage, every_truncation_is_an_error) {
  const std::string whole = content_of("/bin/true");
  ASSERT_GT(whole.size(), 4096U);
  const os::UniqueFd file = file_with(whole);
  ASSERT_TRUE(Image::open(again(file), "whole"));
  for (std::size_t length = whole.size() - 1; length > 0; length -= length > 200 ? 97 : 1) {
    ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(length)), 0);
    const auto image = Image::open(again(file), "cut");
    ASSERT_FALSE(image) << length << " of " << whole.size() << " bytes";
    EXPECT_EQ(image.error().kind, os::ErrorKind::malformed) << image.error().text;
  }
}

TEST(MalformedImage, changed_bytes_do_no_harm) {
  const std::string whole = content_of("/bin/true");
  const os::UniqueFd file = file_with(whole);
  std::mt19937 random(20240601);
  // Headers are few and matter most: half of the changes go to the first KiB and to the section
  // table.
  const std::size_t tail = whole.size() - 64 * 30;
  int opened = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t region = random() % 4;
    const std::size_t at = region == 0   ? random() % 1024
                           : region == 1 ? tail + random() % (whole.size() - tail)
                                         : random() % whole.size();
    const char changed = static_cast<char>(random());
    ASSERT_EQ(::pwrite(file.get(), &changed, 1, static_cast<off_t>(at)), 1);
    if (const auto image = Image::open(again(file), "changed")) {
      ++opened;
      question(*image);
    }
    ASSERT_EQ(::pwrite(file.get(), &whole[at], 1, static_cast<off_t>(at)), 1);
  }
  EXPECT_GT(opened, 100) << "most changes leave a file that opens";
}

struct Extent {
  std::size_t begin = 0;
  std::size_t size = 0;
};

Extent section_of(const std::string& file, std::string_view wanted) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  const auto section = [&](std::size_t index) {
    Elf64_Shdr out;
    std::memcpy(&out, file.data() + header.e_shoff + index * sizeof out, sizeof out);
    return out;
  };
  const auto names = section(header.e_shstrndx);
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    if (wanted == file.data() + names.sh_offset + section(i).sh_name)
      return {section(i).sh_offset, section(i).sh_size};
  return {};
}

TEST(MalformedImage, changed_dwarf_does_no_harm) {
  const std::string whole = content_of("/proc/self/exe");
  const os::UniqueFd file = file_with(whole);
  const std::vector<TypeQuery> queries{
      {"KnownOuter", {"common.u.alive.state.counter", "one_bit", "absent"}}, {"absent", {}}};
  std::mt19937 random(20240602);
  for (const std::string_view name : {".debug_info", ".debug_abbrev"}) {
    const Extent extent = section_of(whole, name);
    ASSERT_GT(extent.size, 0U) << name;
    for (int round = 0; round < 60; ++round) {
      std::string bytes(16, '\0');
      const std::size_t at = extent.begin + random() % (extent.size - bytes.size());
      for (char& byte : bytes) byte = static_cast<char>(random());
      const auto offset = static_cast<off_t>(at);
      ASSERT_EQ(::pwrite(file.get(), bytes.data(), bytes.size(), offset), 16);
      const auto image = Image::open(again(file), "changed");
      ASSERT_TRUE(image) << image.error().text;
      (void)read_types(*image, queries);
      ASSERT_EQ(::pwrite(file.get(), whole.data() + at, bytes.size(), offset), 16);
    }
  }
}

}  // namespace
}  // namespace beam_exporter::elf
